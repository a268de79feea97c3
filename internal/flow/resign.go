package flow

import (
	"context"
	"maps"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/job"
)

// What an admin has sent and answers for ends for good with the role, in the transaction that takes it. Otherwise a thief
// of the account could leave behind what works again when its owner is an admin again.

// detailNoAdmin is in the detail of the record of a secret that was ended because its owner is no longer an admin.
const detailNoAdmin = "no_admin"

// resigns follows each change of the roles, the state or the end of an account, with the account before it. If its owner
// was an admin and is none now, or was one whose end had come, resigns ends what resign ends.
func (f *core) resigns(ctx context.Context, tx Tx, was account.Account, change audit.Fact) error {
	if !slices.Contains(was.Roles, RoleAdmin) {
		return nil
	}
	is, _, err := tx.AccountByID(ctx, was.ID)
	if err != nil || f.isAdmin(is) && f.isAdmin(was) {
		return err
	}
	why := stoppedAccount
	if !slices.Contains(is.Roles, RoleAdmin) {
		why = stoppedRole
	}
	return f.resign(ctx, tx, was.ID, change, why)
}

// resign ends the invitations, the secrets of API keys and the jobs of an admin.
func (f *core) resign(ctx context.Context, tx Tx, id string, change audit.Fact, why stopped) error {
	change.AccountID = id
	if err := f.endSent(ctx, tx, audit.ByAdmin(id), time.Time{}, change); err != nil {
		return err
	}
	if err := f.endSecretsOf(ctx, tx, change, detailNoAdmin); err != nil {
		return err
	}
	return f.stopJobs(ctx, tx, why, func(j job.Job) bool { return j.AccountID == id })
}

// stopJobs ends the running jobs that which picks.
func (f *core) stopJobs(ctx context.Context, tx Tx, why stopped, which func(job.Job) bool) error {
	running, err := tx.RunningJobs(ctx)
	for _, j := range running {
		if err == nil && which(j) {
			_, err = tx.AdvanceJob(ctx, j.ID, j.Progress, f.fails(j.Progress, why))
		}
	}
	return err
}

// endSecretsOf ends the secrets of API keys that the account of a change answers for. A key without a secret can get another one.
func (f *core) endSecretsOf(ctx context.Context, tx Tx, change audit.Fact, why string) error {
	secrets, err := tx.APIKeySecretsOf(ctx, change.AccountID, f.clock.Now())
	if err != nil {
		return err
	}
	return f.endEach(ctx, tx, change, why, secrets...)
}

// endEach does what endSecrets does, and records each secret of the account that has answered for it.
func (f *core) endEach(ctx context.Context, tx Tx, change audit.Fact, why string, secrets ...apikey.Secret) error {
	for _, s := range secrets {
		change.Name, change.AccountID, change.Detail = audit.APIKeyEnded, s.AccountID, s.KeyID+","+why
		if err := f.record.Add(ctx, tx, change); err != nil {
			return err
		}
	}
	return f.endSecrets(ctx, tx, change, secrets...)
}

// endSecrets ends secrets of API keys, the invitations that the keys have sent since, and the jobs that they have begun: nobody
// knows with which of their secrets.
func (f *core) endSecrets(ctx context.Context, tx Tx, change audit.Fact, secrets ...apikey.Secret) error {
	since := map[string]time.Time{} // by the id of the key
	for _, s := range secrets {
		if err := tx.DeleteAPIKeySecret(ctx, s.Hash); err != nil {
			return err
		}
		from := s.CreatedAt.Add(-2 * clock.Uncorrected) // the clock of another node is behind
		if before, known := since[s.KeyID]; !known || from.Before(before) {
			since[s.KeyID] = from
		}
	}
	for _, id := range slices.Sorted(maps.Keys(since)) {
		if err := f.endSent(ctx, tx, audit.ByKey(id), since[id], change); err != nil {
			return err
		}
	}
	return f.stopJobs(ctx, tx, stoppedKey, func(j job.Job) bool {
		from, ends := since[j.KeyID]
		return ends && j.CreatedAt.After(from)
	})
}

// endSent ends the invitations that an actor has sent after a time. One record tells of all of them. Their emails stay in
// the outbox, since there can be more than one transaction could delete; Over keeps them from being sent.
func (f *core) endSent(ctx context.Context, tx Tx, by string, since time.Time, change audit.Fact) error {
	any, err := tx.EndInvitationsBy(ctx, by, since)
	if err != nil || !any {
		return err
	}
	change.Name, change.AccountID, change.Detail = audit.InvitationEnded, "", "all,"+by
	return f.record.Add(ctx, tx, change)
}

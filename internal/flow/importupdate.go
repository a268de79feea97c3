package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/people"
	"portico/internal/session"
)

// renewPerson gives an account what differs in an import: name, state, roles, claims, end,
// identities, and a password that has not been used here yet. Second factors, passkeys, what
// the owner has added and what the line does not say stay. An account that waits for an
// approval goes on waiting, and one that is to be erased is not taken back. It sends no email.
// It returns the changed fields, or why nothing may be changed.
func (f *Operator) renewPerson(ctx context.Context, tx Tx, by Actor, has account.Account, a *arrival, dry bool) (changes []string, problem *people.Problem, err error) {
	differs, linked, err := f.news(ctx, tx, has, a)
	if err != nil || len(differs)+len(linked) == 0 {
		return nil, nil, err
	}
	owner, err := f.exists(ctx, tx, has)
	if err != nil {
		return nil, nil, err
	}
	if differs, linked, err = f.news(ctx, tx, owner.Account, a); err != nil {
		return nil, nil, err
	}
	for _, d := range differs {
		changes = append(changes, d.field)
	}
	if len(linked) > 0 {
		changes = append(changes, "identities")
	}
	if problem := by.mayRenew(owner.Account, a, changes); problem != nil {
		return nil, problem, nil
	}
	if dry || len(changes) == 0 {
		return changes, nil, nil
	}
	for _, d := range differs {
		if err := d.apply(ctx, tx, owner); err != nil {
			return nil, nil, err
		}
	}
	for _, i := range linked {
		if err := f.attachImported(ctx, tx, owner, i); err != nil {
			return nil, nil, err
		}
	}
	change := by.fact(audit.AccountImported, has.ID, strings.Join(changes, ","))
	if err := f.record.Add(ctx, tx, change); err != nil {
		return nil, nil, err
	}
	if err := f.resigns(ctx, tx, owner.Account, change); err != nil {
		return nil, nil, err
	}
	return changes, nil, f.sessions.Changed(ctx, tx, has.ID)
}

// news returns what of a person an account does not have.
func (f *Operator) news(ctx context.Context, tx Tx, has account.Account, a *arrival) ([]difference, []account.Identity, error) {
	_, leaves, err := tx.DepartureOf(ctx, has.ID)
	if err != nil {
		return nil, nil, err
	}
	want := f.wanted(has, a)
	if leaves || has.State == account.Waiting {
		want.State = has.State
	}
	linked, err := f.newIdentities(ctx, tx, has, a)
	if err != nil {
		return nil, nil, err
	}
	return f.mayBring(ctx, tx, has, a, f.differences(has, want), linked)
}

// wanted returns the account as an import wants it. What the line does not say stays. A line opens no account
// whose end has come.
func (f *Operator) wanted(has account.Account, a *arrival) account.Account {
	want, now := a.Account, f.clock.Now()
	if a.from.Roles == nil {
		want.Roles = distinct(has.Roles)
	}
	if a.from.Claims == nil {
		want.Claims = has.Claims
	}
	if f.passwords.Same(has.Password, a.from.Password) {
		want.Password = has.Password // another master key gives the same hash another form
	}
	if a.from.EndsAt.IsZero() {
		want.EndsAt = has.EndsAt
	}
	if a.from.State == "" && !a.Account.Ended(now) || want.State == account.Active && want.Ended(now) {
		want.State = has.State
	}
	return want
}

// difference is a field that differs, and how it is changed.
type difference struct {
	field string
	apply func(ctx context.Context, tx Tx, a cleared) error
}

func (f *Operator) differences(has, want account.Account) (all []difference) {
	if want.Name != "" && want.Name != has.Name {
		all = append(all, difference{"name", func(ctx context.Context, tx Tx, a cleared) error {
			return tx.UpdateName(ctx, a.ID, want.Name)
		}})
	}
	if roles := distinct(has.Roles); !slices.Equal(want.Roles, roles) {
		all = append(all, difference{"roles", func(ctx context.Context, tx Tx, a cleared) error {
			if err := f.byHand(ctx, tx, a.judged, want.Roles, nil); err != nil {
				return err
			}
			return tx.UpdateRoles(ctx, a.ID, want.Roles)
		}})
	}
	if want.Claims != has.Claims {
		all = append(all, difference{"claims", func(ctx context.Context, tx Tx, a cleared) error {
			return tx.UpdateClaims(ctx, a.ID, want.Claims)
		}})
	}
	if !want.EndsAt.Equal(has.EndsAt) {
		all = append(all, difference{"ends_at", func(ctx context.Context, tx Tx, a cleared) error {
			return tx.UpdateEnd(ctx, a.ID, want.EndsAt)
		}})
	}
	if want.Password != "" && want.Password != has.Password && !f.passwords.Ours(has.Password) {
		all = append(all, difference{"password", func(ctx context.Context, tx Tx, a cleared) error {
			return f.importPassword(ctx, tx, a, want.Password)
		}})
	}
	if want.State != has.State {
		all = append(all, difference{"state", func(ctx context.Context, tx Tx, a cleared) error {
			return f.importState(ctx, tx, a, want.State)
		}})
	}
	return all
}

func (f *Operator) importPassword(ctx context.Context, tx Tx, a cleared, hash string) error {
	if err := tx.UpdatePassword(ctx, a.ID, hash); err != nil {
		return err
	}
	return f.endAll(ctx, tx, a.ID, "", session.Operator)
}

func (f *Operator) importState(ctx context.Context, tx Tx, a cleared, state account.State) error {
	if err := tx.UpdateState(ctx, a.ID, state); err != nil {
		return err
	}
	return f.endAll(ctx, tx, a.ID, "", session.Disabled)
}

// newIdentities returns the identities that an account does not have yet.
func (f *Operator) newIdentities(ctx context.Context, tx Tx, has account.Account, a *arrival) (all []account.Identity, err error) {
	if len(a.Identities) == 0 {
		return nil, nil
	}
	linked, err := tx.IdentitiesOf(ctx, has.ID)
	for _, i := range a.Identities {
		if !slices.ContainsFunc(linked, func(l account.Identity) bool { return l.Issuer == i.Issuer && l.Subject == i.Subject }) {
			i.AccountID = has.ID
			all = append(all, i)
		}
	}
	return all, err
}

// attachImported joins an identity without an email to the owner.
//
// Faults: IdentityTaken.
func (f *Operator) attachImported(ctx context.Context, tx Tx, a cleared, i account.Identity) error {
	if ok, err := tx.InsertIdentity(ctx, i); err != nil || !ok { // it may have been joined since settle read
		return cmp.Or[error](err, IdentityTaken)
	}
	return f.endFlows(ctx, tx, &a)
}

// leaveApps notes that an account has no authenticator app though the line has one. It may have come before its owner had one, from
// an export without them, or the owner has taken it off here. Nobody can tell, and a wrong one would lock the owner out.
func (f *Operator) leaveApps(ctx context.Context, tx Tx, id string, a *arrival, one *Imported) error {
	if len(a.Factors) == 0 {
		return nil
	}
	have, err := tx.FactorsOf(ctx, id)
	if err == nil && len(have) == 0 {
		one.Left = append(one.Left, "authenticator apps of accounts that exist without one: delete these accounts and import them again")
	}
	return err
}

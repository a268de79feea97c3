package flow_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/job"
	"portico/internal/outbox"
	"portico/internal/people"
	"portico/internal/store"
	"portico/internal/store/pgtest"
)

// planted is what an admin has left behind.
type planted struct {
	id, secret, mailed, many, byKey string
	key                             flow.APIKey
	job                             string
}

// plants makes an admin at the provider google, with invitations, a key that has invited somebody, and a job.
func (b *bundle) plants(address string) (p planted, ada *visitor) {
	ada = b.visitor("192.0.2.9")
	ada.register(address)
	ada.links("google")
	p.id = ada.found().User.ID
	b.must(b.Operator.SetUserRoles(b.Context(), flow.ByOperator, p.id, []string{flow.RoleAdmin}))
	ada.enrols()
	by := func() flow.Actor { return flow.ByAdmin(ada.Caller, ada.found()) }
	_, err := b.Operator.Invite(b.Context(), by(), "planted@example.net", flow.Draft{Roles: []string{flow.RoleAdmin}})
	b.must(err)
	p.mailed = b.invited()
	link, err := b.Operator.InviteMany(b.Context(), by(), flow.Draft{Uses: 9, EndsAt: b.clock.Now().Add(time.Hour * 24 * 30)})
	b.must(err)
	p.many = linkToken(outbox.Message{Data: map[string]string{"link": link}})
	p.key, p.secret, err = b.Operator.MakeAPIKey(b.Context(), by(), p.id, apikey.Ask{Name: "sync", Scopes: apikey.Scopes()})
	b.must(err)
	program, err := b.Operator.ByKey(b.Context(), flow.Caller{}, p.secret)
	b.must(err)
	_, err = b.Operator.Invite(b.Context(), program, "program@example.net", flow.Draft{})
	b.must(err)
	p.byKey = b.invited()
	begun, err := b.Operator.BeginBulk(b.Context(), by(), flow.Bulk{Kind: flow.BulkGiveRole, Role: "planted"})
	b.must(err)
	p.job = begun.ID
	return p, ada
}

func (b *bundle) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// stay reports what works of what was planted.
func (b *bundle) stay(p planted) (works []string) {
	b.Helper()
	v := b.visitor("192.0.2.77")
	for what, token := range map[string]string{"the invitation": p.mailed, "the link for many": p.many, "the invitation of the key": p.byKey} {
		if view := v.opens(token); view.Fault == nil {
			works = append(works, what)
		}
	}
	if _, err := b.Operator.ByKey(b.Context(), flow.Caller{}, p.secret); err == nil {
		works = append(works, "the key")
	}
	if j, err := b.Operator.Job(b.Context(), p.job); err == nil && j.State == job.Running {
		works = append(works, "the job")
	}
	slices.Sort(works)
	return works
}

// An admin who stops being one gets nothing back with the role: not what was sent, no secret of a key, and no job,
// whoever takes the role and gives it back.
func TestResigns(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	type step func(b *bundle, p planted, ada *visitor)
	give := func(b *bundle, p planted, _ *visitor) {
		b.must(b.Operator.ChangeUserRoles(ctx, flow.ByOperator, p.id, []string{flow.RoleAdmin}, nil))
	}
	open := func(b *bundle, p planted, _ *visitor) {
		b.must(b.Operator.SetUserState(ctx, flow.ByOperator, p.id, account.Active))
	}
	bring := func(b *bundle, p people.Person) {
		p.Email, p.EmailVerified = "ada@example.org", true
		if got := b.brings(how(update), p); len(got) != 1 {
			t.Fatal(got)
		}
	}
	soon := func(b *bundle, p planted, _ *visitor) {
		b.must(b.Operator.SetUserEnd(ctx, flow.ByOperator, p.id, b.clock.Now().Add(time.Hour)))
		b.clock.Advance(time.Hour)
	}
	for name, test := range map[string]struct{ ends, back step }{
		"set-roles": {func(b *bundle, p planted, _ *visitor) {
			b.must(b.Operator.SetUserRoles(ctx, flow.ByOperator, p.id, nil))
		}, give},
		"remove-role": {func(b *bundle, p planted, _ *visitor) {
			b.must(b.Operator.ChangeUserRoles(ctx, flow.ByOperator, p.id, nil, []string{flow.RoleAdmin}))
		}, give},
		"disable": {func(b *bundle, p planted, _ *visitor) {
			b.must(b.Operator.SetUserState(ctx, flow.ByOperator, p.id, account.DisabledByOperator))
		}, open},
		"delete": {func(b *bundle, p planted, _ *visitor) {
			_, err := b.Operator.ScheduleErasure(ctx, flow.ByOperator, p.id, "ada@example.org")
			b.must(err)
		}, func(b *bundle, p planted, _ *visitor) { b.must(b.Operator.RestoreUser(ctx, flow.ByOperator, p.id)) }},
		"erase": {func(b *bundle, p planted, _ *visitor) { b.must(b.Operator.DeleteUser(ctx, flow.ByOperator, p.id)) }, func(*bundle, planted, *visitor) {}},
		"leave": {func(b *bundle, _ planted, ada *visitor) {
			b.must(b.Owner.LeaveAccount(ctx, ada.Caller, ada.found()))
		}, open},
		"its end": {func(b *bundle, p planted, ada *visitor) {
			soon(b, p, ada)
			b.closes()
		}, open},
		"its end, opened before the background work": {soon, open},
		"its end, moved before the background work": {soon, func(b *bundle, p planted, _ *visitor) {
			b.must(b.Operator.SetUserEnd(ctx, flow.ByOperator, p.id, time.Time{}))
		}},
		"import of other roles": {func(b *bundle, _ planted, _ *visitor) { bring(b, people.Person{Roles: []string{"staff"}}) }, give},
		"import of a disabled account": {func(b *bundle, _ planted, _ *visitor) {
			bring(b, people.Person{State: string(account.DisabledByOperator)})
		}, open},
		"the provider": {func(b *bundle, p planted, _ *visitor) {
			b.must(b.store.Write(ctx, func(tx flow.Tx) error {
				linked, err := tx.IdentitiesOf(ctx, p.id)
				if err != nil {
					return err
				}
				return tx.UpdateIdentityRoles(ctx, linked[0].Issuer, linked[0].Subject, []string{flow.RoleAdmin}, linked[0].RolesAt)
			}))
			b.must(b.Operator.UnlinkUser(ctx, flow.ByOperator, p.id, "google"))
		}, give},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, withProvider(t))
			p, ada := b.plants("ada@example.org")
			b.admin("noor@example.org", "192.0.2.8")
			if works := b.stay(p); len(works) != 5 {
				t.Fatalf("before, only %q work", works)
			}
			test.ends(b, p, ada)
			test.back(b, p, ada)
			if works := b.stay(p); works != nil {
				t.Errorf("afterwards %q work", works)
			}
			if name == "erase" {
				return
			}
			if f := b.record(audit.APIKeyEnded); f.AccountID != p.id || f.Detail != p.key.ID+",no_admin" {
				t.Errorf("the key is recorded as %+v", f)
			}
			if f := b.record(audit.InvitationEnded); f.Detail != "all,key:"+p.key.ID {
				t.Errorf("the invitations are recorded as %+v", f)
			}
			_, secret, err := b.Operator.RotateAPIKey(ctx, flow.ByOperator, p.id, p.key.ID, time.Time{})
			b.must(err)
			if _, err := b.Operator.ByKey(ctx, flow.Caller{}, secret); err != nil {
				t.Errorf("the new secret: %v", err)
			}
			if works := b.stay(p); works != nil {
				t.Errorf("after the new secret %q work", works)
			}
		})
	}
}

// A change that leaves the admin one ends nothing.
func TestResigns_WhoRemains(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	p, _ := b.plants("ada@example.org")
	b.must(b.Operator.ChangeUserRoles(t.Context(), flow.ByOperator, p.id, []string{"staff"}, nil))
	b.must(b.Operator.SetUserName(t.Context(), flow.ByOperator, p.id, "Ada"))
	b.must(b.Operator.SetUserEnd(t.Context(), flow.ByOperator, p.id, b.clock.Now().Add(time.Hour)))
	if works := b.stay(p); len(works) != 5 {
		t.Errorf("only %q work", works)
	}
}

// A second alarm, years or days later, gives nothing back that the first one has ended.
func TestAlarm_EndsInvitationsForGood(t *testing.T) {
	t.Parallel()
	b := setup(t, withProvider(t))
	p, ada := b.plants("ada@example.org")
	ada.must(b.Owner.ChangePassword(t.Context(), ada.Caller, ada.found(), another, another))
	for m := b.next(); ; m = b.next() {
		if m.Template == "password-changed" {
			ada.must(b.Flows.RaiseAlarm(t.Context(), ada.Caller, alarmToken(m)))
			break
		}
	}
	b.must(b.store.Write(t.Context(), func(tx flow.Tx) error {
		return tx.UpdateAlarm(t.Context(), p.id, account.Alarm{RaisedAt: b.clock.Now().Add(4 * 24 * time.Hour)})
	}))
	b.clock.Advance(4*24*time.Hour + time.Minute)
	if works := b.stay(p); slices.Contains(works, "the invitation") || slices.Contains(works, "the link for many") {
		t.Errorf("after another alarm %q work", works)
	}
	_, _, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, p.id, p.key.ID, time.Time{})
	b.must(err)
	if works := b.stay(p); slices.Contains(works, "the invitation of the key") {
		t.Errorf("after a new secret of the key %q work", works)
	}
}

// Whoever has sent very many invitations can be ended all the same: a change on PostgreSQL has no time to write each of
// them again, and leaves them in the transaction that made them (xmin).
func TestResigns_WithVeryManyInvitations(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	s, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := setupOn(t, s, withProvider(t))
	p, ada := b.plants("ada@example.org")
	b.admin("noor@example.org", "192.0.2.8")
	now := b.clock.Now()
	pgtest.Exec(t, url, fmt.Sprintf(`INSERT INTO invitation (id, link_hash, address, address_key, roles, account_ends_at, words, invited_by, most, used, state,
		created_at, ends_at, opened_at, used_at, account_id, message_id)
		SELECT sender || n, CAST(sender || n AS bytea), '', sender || n, '[]', 0, '', sender, 1, 0, 'open', %d, %d, 0, 0, '', ''
		FROM generate_series(1, 1000) AS n, unnest(ARRAY['%s', '%s']) AS sender`,
		now.UnixMicro(), now.Add(time.Hour).UnixMicro(), audit.ByKey(p.key.ID), audit.ByAdmin(p.id)))
	b.must(b.Operator.EndAPIKey(t.Context(), flow.ByOperator, p.key.ID, false))
	ada.must(b.Owner.ChangePassword(t.Context(), ada.Caller, ada.found(), another, another))
	for m := b.next(); ; m = b.next() {
		if m.Template == "password-changed" {
			ada.must(b.Flows.RaiseAlarm(t.Context(), ada.Caller, alarmToken(m)))
			break
		}
	}
	b.must(b.Operator.SetUserState(t.Context(), flow.ByOperator, p.id, account.DisabledByOperator))
	b.must(b.Operator.SetUserState(t.Context(), flow.ByOperator, p.id, account.Active))
	if works := b.stay(p); works != nil {
		t.Errorf("afterwards %q work", works)
	}
	if page, err := b.Operator.Invitations(t.Context(), "", "", 100); err != nil || slices.ContainsFunc(page.Items, func(i flow.Invited) bool { return i.Stage != "ended" }) {
		t.Errorf("the invitations are %+v, %v", page.Items[0], err)
	}
	pgtest.Exec(t, url, `DO $$ BEGIN IF (SELECT count(*) FROM invitation GROUP BY CAST(xmin AS text) ORDER BY 1 DESC LIMIT 1) < 2000 THEN
		RAISE 'invitations were written again'; END IF; END $$`)
}

// Whoever ends a secret of a key, and for whatever reason, ends what the key has sent and begun since the secret was made. The
// key works on with its other secret, and so does what it sent before.
func TestEndSecret(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	rotate := func(b *bundle, ada, key string) string {
		_, secret, err := b.Operator.RotateAPIKey(ctx, flow.ByOperator, ada, key, time.Time{})
		b.must(err)
		return secret
	}
	demote := func(b *bundle, ada, _ string) {
		b.must(b.Operator.ChangeUserRoles(ctx, flow.ByOperator, ada, nil, []string{flow.RoleAdmin}))
	}
	for name, test := range map[string]struct {
		secret func(b *bundle, old, ada, key string) string // what sends and begins
		ends   func(b *bundle, ada, key string)
		before bool // what was sent before stays
	}{
		"the new one, with the role of its owner": {func(b *bundle, _, ada, key string) string { return rotate(b, ada, key) }, demote, true},
		"the old one": {func(b *bundle, old, ada, key string) string {
			rotate(b, ada, key)
			return old
		}, func(b *bundle, _, key string) { b.must(b.Operator.EndAPIKey(ctx, flow.ByOperator, key, true)) }, false},
		"the old one, by another rotation": {func(b *bundle, old, ada, key string) string {
			rotate(b, ada, key)
			return old
		}, func(b *bundle, ada, key string) { rotate(b, ada, key) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			_, k, old := b.administers(apikey.DefaultLife)
			ada, err := b.Operator.CreateUser(ctx, flow.ByOperator, "ada@example.org", "", good, flow.RoleAdmin)
			b.must(err)
			many := func(secret string) string {
				by, err := b.Operator.ByKey(ctx, flow.Caller{}, secret)
				b.must(err)
				link, err := b.Operator.InviteMany(ctx, by, flow.Draft{Uses: 9, EndsAt: b.clock.Now().Add(time.Hour)})
				b.must(err)
				return linkToken(outbox.Message{Data: map[string]string{"link": link}})
			}
			before := many(old)
			b.clock.Advance(time.Minute)
			secret := test.secret(b, old, ada.ID, k.ID)
			after := many(secret)
			by, err := b.Operator.ByKey(ctx, flow.Caller{}, secret)
			b.must(err)
			begun, err := b.Operator.BeginBulk(ctx, by, flow.Bulk{Kind: flow.BulkGiveRole, Role: "planted"})
			b.must(err)
			test.ends(b, ada.ID, k.ID)
			v := b.visitor("192.0.2.77")
			if works := v.opens(after).Fault == nil; works {
				t.Error("the link for many works on")
			}
			if works := v.opens(before).Fault == nil; works != test.before {
				t.Errorf("the link from before works: %v", works)
			}
			if j, err := b.Operator.Job(ctx, begun.ID); err != nil || j.State != job.Failed || j.Why != "key" {
				t.Errorf("the job is %s %q, %v", j.State, j.Why, err)
			}
			if now, err := b.Operator.APIKey(ctx, k.ID); err != nil || now.State != flow.KeyWorks {
				t.Errorf("the key is %s, %v", now.State, err)
			}
		})
	}
}

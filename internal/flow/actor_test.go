package flow_test

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/invitation"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/people"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/webhook"
)

// Every method that takes an Actor names it in its audit records, and judges an admin.
func TestOperator_RecordsTheActor(t *testing.T) {
	t.Parallel()
	n := twoNodes(t, trusting)
	n.authorize()
	n.links("google")
	n.trusts(n.enrols())
	if err := n.Owner.SetPortrait(t.Context(), n.Caller, n.found(), small(t)); err != nil {
		t.Fatal(err)
	}
	by, o, ctx := flow.NewActor("somebody"), n.Operator, t.Context()
	a, err := o.User(ctx, "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	registered := openid.Registered{ID: "registered", EndsAt: n.clock.Now().Add(time.Hour)}
	if err := n.store.Write(ctx, func(tx flow.Tx) error {
		for _, id := range []string{"refused", "refused too", "dropped"} {
			if err := tx.InsertMessage(ctx, outbox.Record{ID: id, Template: "notice", AccountID: a.ID, DeadAt: n.clock.Now().Add(-time.Second)}); err != nil {
				return err
			}
		}
		sent := webhook.Delivery{ID: "msg_ended", Webhook: "all", State: webhook.Dropped, EndedAt: n.clock.Now()}
		if err := tx.InsertDelivery(ctx, sent); err != nil {
			return err
		}
		if _, err := tx.EndDelivery(ctx, sent); err != nil {
			return err
		}
		_, err := tx.InsertRegistered(ctx, registered, n.clock.Now(), 1)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	id, key, initial, program := a.ID, "", "", ""
	invited, ended, waits, approved := ids.New(), ids.New(), ids.New(), ids.New()
	if err := n.store.past(ctx, func(tx *store.Tx) error {
		for _, open := range []string{invited, ended} {
			i := invitation.Invitation{ID: open, Link: []byte(open), Mail: open + "@example.org", Key: open + "@example.org", State: invitation.Open, EndsAt: n.clock.Now().Add(time.Hour)}
			if _, err := tx.InsertInvitation(ctx, i); err != nil {
				return err
			}
		}
		for who, id := range map[string]string{"waits@example.org": waits, "approved@example.org": approved} {
			if _, err := tx.InsertAccount(ctx, account.Account{ID: id, Address: account.Address{Mail: who, Key: who}, State: account.Waiting}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	drop := func(_ any, err error) error { return err }
	steps := []struct {
		method string
		do     func() error
	}{
		{"Import", func() error {
			return drop(o.Import(ctx, by, []people.Person{{Email: "mara@example.org", Name: "Imported"}}, how(update)))
		}},
		{"MakeAPIKey", func() error {
			if err := o.SetUserRoles(ctx, flow.ByOperator, id, []string{flow.RoleAdmin}); err != nil {
				return err
			}
			made, _, err := o.MakeAPIKey(ctx, by, id, apikey.Ask{Name: "sync", Scopes: []string{"people:read"}})
			program = made.ID
			return err
		}},
		{"RotateAPIKey", func() error { _, _, err := o.RotateAPIKey(ctx, by, id, program, time.Time{}); return err }},
		{"EndAPIKey", func() error { return o.EndAPIKey(ctx, by, program, false) }},
		{"EndUserTrust", func() error { return drop(o.EndUserTrust(ctx, by, id)) }},
		{"ForgetClient", func() error { return drop(o.ForgetClient(ctx, by, n.client.ID)) }},
		{"EndUserSession", func() error { return o.EndUserSession(ctx, by, n.found().Session.ID) }},
		{"ResetFactors", func() error { return drop(o.ResetFactors(ctx, by, id)) }},
		{"EndUserSessions", func() error { n.must(n.signIn("mara@example.org", good)); return drop(o.EndUserSessions(ctx, by, id)) }},
		{"UnlinkUser", func() error { return o.UnlinkUser(ctx, by, id, "google") }},
		{"RemoveUserPortrait", func() error { return o.RemoveUserPortrait(ctx, by, id) }},
		{"SetUserName", func() error { return o.SetUserName(ctx, by, id, "Mara") }},
		{"SetUserClaims", func() error { return o.SetUserClaims(ctx, by, id, `{"quota": 5}`, "") }},
		{"SetUserAddress", func() error { return o.SetUserAddress(ctx, by, id, "m@example.org") }},
		{"SetUserPassword", func() error { return o.SetUserPassword(ctx, by, a, another) }},
		{"SetUserRoles", func() error { return o.SetUserRoles(ctx, by, id, []string{"a"}) }},
		{"ChangeUserRoles", func() error { return o.ChangeUserRoles(ctx, by, id, []string{"b"}, []string{"a"}) }},
		{"SetUserEnd", func() error { return o.SetUserEnd(ctx, by, id, n.clock.Now().Add(time.Hour)) }},
		{"AccountLink", func() error { _, _, err := o.AccountLink(ctx, by, a); return err }},
		{"Unlock", func() error { return o.Unlock(ctx, by, "m@example.org") }},
		{"UnlockUser", func() error { return o.UnlockUser(ctx, by, id) }},
		{"MailAgain", func() error { return o.MailAgain(ctx, by, id, "refused") }},
		{"DropMail", func() error { return drop(o.DropMail(ctx, by, "dropped")) }},
		{"MailAllAgain", func() error { return drop(o.MailAllAgain(ctx, by)) }},
		{"RetryWebhook", func() error { _, err := o.RetryWebhook(ctx, by, "all", "msg_ended", time.Time{}); return err }},
		{"TryWebhook", func() error { _, _, err := o.TryWebhook(ctx, by, "all"); return err }},
		{"MailLink", func() error { return drop(o.MailLink(ctx, by, id)) }},
		{"ScheduleErasure", func() error { return drop(o.ScheduleErasure(ctx, by, id, "m@example.org")) }},
		{"RestoreUser", func() error { return o.RestoreUser(ctx, by, id) }},
		{"SetUserState", func() error { return o.SetUserState(ctx, by, id, account.DisabledByOperator) }},
		{"DeleteUser", func() error { return o.DeleteUser(ctx, by, id) }},
		{"Invite", func() error { return drop(o.Invite(ctx, by, "guest@example.org", flow.Draft{})) }},
		{"InviteMany", func() error {
			return drop(o.InviteMany(ctx, by, flow.Draft{Uses: 1, EndsAt: n.clock.Now().Add(time.Hour)}))
		}},
		{"InviteAgain", func() error { return o.InviteAgain(ctx, by, invited) }},
		{"EndInvitation", func() error { return o.EndInvitation(ctx, by, ended) }},
		{"ApproveUser", func() error { return o.ApproveUser(ctx, by, approved) }},
		{"RefuseUser", func() error { return o.RefuseUser(ctx, by, waits) }},
		{"CreateUser", func() error { return drop(o.CreateUser(ctx, by, "new@example.org", "", "")) }},
		{"ExportRecord", func() error {
			return o.ExportRecord(ctx, by, audit.Query{}, audit.NewWriter(io.Discard, audit.CSV))
		}},
		{"RotateKey", func() error { k, err := o.RotateKey(ctx, by); key = k.ID; return err }},
		{"RevokeKey", func() error { return o.RevokeKey(ctx, by, key) }},
		{"AllowRegistrations", func() error {
			_, made, err := o.AllowRegistrations(ctx, by, 1, time.Hour)
			initial = made.ID
			return err
		}},
		{"EndInitialToken", func() error { return drop(o.EndInitialToken(ctx, by, initial)) }},
		{"DeleteRegistered", func() error { return drop(o.DeleteRegistered(ctx, by, registered.ID)) }},
	}
	somebody := by
	by = flow.ByAdmin(flow.Caller{}, session.Found{Session: session.Session{ID: "ended"}, User: session.User{ID: id}})
	for _, s := range steps {
		if err := s.do(); !errors.Is(err, session.Required) {
			t.Errorf("%s by an admin whose session has ended: %v", s.method, err)
		}
	}
	if _, err := o.Import(ctx, by, nil, how(dry)); !errors.Is(err, session.Required) {
		t.Errorf("a dry run by an admin whose session has ended: %v", err)
	}
	by = somebody
	var covered, want []string
	for _, s := range steps {
		covered = append(covered, s.method)
		had := len(n.store.facts.all())
		if err := s.do(); err != nil {
			t.Fatalf("%s: %v", s.method, err)
		}
		more := n.store.facts.all()[had:]
		if len(more) == 0 || more[len(more)-1].Actor != "somebody" {
			t.Errorf("%s records %+v", s.method, more)
		}
	}
	for m := range reflect.TypeFor[*flow.Operator]().Methods() {
		if m.Type.NumIn() > 2 && m.Type.In(2) == reflect.TypeFor[flow.Actor]() && !slices.Contains([]string{"FirstAdmin", "TryInvite", "TryBulk", "BeginBulk", "StopJob", "OpenImport", "ReadImport", "ImportJob", "StartImport", "Rejected", "Enter", "Once", "Answered", "Refused"}, m.Name) { // these change no account, or by others of the list
			want = append(want, m.Name)
		}
	}
	slices.Sort(covered)
	slices.Sort(want)
	if !slices.Equal(covered, want) {
		t.Errorf("the test has %v, want %v", covered, want)
	}
}

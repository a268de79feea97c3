package flow_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/invitation"
	"portico/internal/outbox"
	"portico/internal/secret"
	"portico/internal/store"
)

// invites invites an address as an operator, and returns the token of its link.
func (b *bundle) invites(address string, d flow.Draft) string {
	b.Helper()
	judged, err := b.Operator.Invite(b.Context(), flow.ByOperator, address, d)
	if err != nil || len(judged) != 1 || judged[0].Verdict != flow.Invites {
		b.Fatalf("%+v, %v", judged, err)
	}
	m := b.next()
	if m.Template != "invitation" || m.To != judged[0].Address {
		b.Fatalf("the email is %+v", m)
	}
	return linkToken(m)
}

func (v *visitor) acceptsInvite(token string) (flow.Result, error) {
	v.Helper()
	return v.Flows.SignUp(v.Context(), v.Caller, flow.SignUpInput{Email: "typed@example.org", Password: good, Confirm: good, Invitation: token})
}

func (v *visitor) opens(token string) flow.LinkView {
	v.Helper()
	view, err := v.Flows.ViewLink(v.Context(), v.Caller, token)
	if err != nil {
		v.Fatal(err)
	}
	return view
}

func (b *bundle) user(address string) account.Account {
	b.Helper()
	a, err := b.Operator.User(b.Context(), address)
	if err != nil {
		b.Fatal(address, err)
	}
	return a
}

func with(mode flow.SignUpMode) option { return func(c *flow.Config) { c.SignUp = mode } }

// The link proves its address, whatever is typed. The account has the roles and the end.
func TestInvitation(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeInvited))
	end := b.clock.Now().Add(90 * 24 * time.Hour)
	token := b.invites("Mara@Example.org", flow.Draft{Roles: []string{"editor"}, AccountEnds: end, Words: "Welcome"})
	v := b.visitor("192.0.2.1")
	for range 2 { // a scanner opens it, too
		if view := v.opens(token); view.Fault != nil || !view.Invited || view.Email != "Mara@Example.org" {
			t.Fatalf("the link shows %+v", view)
		}
	}
	v.must(v.acceptsInvite(token))
	if a := b.user("mara@example.org"); v.signedIn() != "Mara@Example.org" || !slices.Equal(a.Roles, []string{"editor"}) || !a.EndsAt.Equal(end) {
		t.Errorf("%s is signed in: %+v", v.signedIn(), a)
	}
	if used := b.record(audit.InvitationUsed); used.Actor != "operator" || used.AccountID != b.user("mara@example.org").ID {
		t.Errorf("recorded as %+v", used)
	}
	other := b.visitor("192.0.2.2")
	if view := other.opens(token); !errors.Is(view.Fault, code.LinkUsed) || view.Email != "" {
		t.Errorf("afterwards the link shows %+v", view)
	}
	if _, err := other.acceptsInvite(token); !errors.Is(err, flow.SignUpUninvited) && !errors.Is(err, flow.SignUpTaken) {
		t.Errorf("the second use: %v", err)
	}
	list, err := b.Operator.Invitations(t.Context(), "", "", 10)
	if err != nil || len(list.Items) != 1 || list.Items[0].Stage != "used" || list.Items[0].OpenedAt.IsZero() {
		t.Errorf("the list is %+v, %v", list, err)
	}
}

// An invitation counts for whoever proves its address. Others get the same page, and an email
// that says why.
func TestInvitation_WithoutItsLink(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeInvited))
	token := b.invites("mara@example.org", flow.Draft{Roles: []string{"editor"}})
	mara, noor := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	r := noor.sends(flow.SignUp, "noor@example.org", good)
	if m := b.next(); m.Template != "invitation-needed" || m.To != "noor@example.org" || m.Data["code"] != "" {
		t.Errorf("who is not invited gets %+v", m)
	}
	if view, err := b.Flows.View(t.Context(), noor.Caller, r.FlowID); err != nil || view.State() != "code" {
		t.Errorf("%+v, %v", view, err)
	}
	mara.register("mara@example.org")
	if a := b.user("mara@example.org"); !slices.Equal(a.Roles, []string{"editor"}) {
		t.Errorf("the roles are %q", a.Roles)
	}
	if view := mara.opens(token); !errors.Is(view.Fault, code.LinkUsed) {
		t.Errorf("the link shows %+v", view)
	}
}

// A sign-up reads no account for an invitation of its address: its time would tell who is invited.
func TestInvitation_TellsNobody(t *testing.T) {
	t.Parallel()
	var reads *counted
	b := setup(t, with(flow.ModeInvited), func(c *flow.Config) {
		reads = &counted{Store: c.Store}
		c.Store = reads
	})
	ada, _ := b.admin("ada@example.org", "192.0.2.9")
	if _, err := b.Operator.Invite(t.Context(), flow.ByAdmin(ada.Caller, ada.found()), "mara@example.org", flow.Draft{}); err != nil {
		t.Fatal(err)
	}
	v, cost := b.visitor("192.0.2.1"), map[string]int{}
	for _, address := range []string{"mara@example.org", "noor@example.org"} {
		before := reads.accounts
		v.sends(flow.SignUp, address, good)
		cost[address] = reads.accounts - before
	}
	if cost["mara@example.org"] != cost["noor@example.org"] {
		t.Errorf("a sign-up reads accounts as often as %v", cost)
	}
}

// An expired invitation says so, and mails another one to its address, within the limits.
func TestInvitation_Again(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.invites("mara@example.org", flow.Draft{Roles: []string{"editor"}, Words: "Welcome"})
	b.clock.Advance(7 * 24 * time.Hour)
	v := b.visitor("192.0.2.1")
	if view := v.opens(token); !errors.Is(view.Fault, code.LinkExpired) || !view.Invited || view.Email != "" || view.Address == "mara@example.org" {
		t.Fatalf("the link shows %+v", view)
	}
	if _, err := v.acceptsInvite(token); !errors.Is(err, flow.InvitationOver) {
		t.Errorf("the expired link: %v", err)
	}
	v.must(b.Flows.ResendLink(t.Context(), v.Caller, token))
	m := b.next()
	if m.To != "mara@example.org" || m.Data["words"] != "Welcome" {
		t.Errorf("the new email is %+v", m)
	}
	if view := v.opens(token); !errors.Is(view.Fault, code.LinkReplaced) {
		t.Errorf("the former link shows %+v", view)
	}
	newest, err := linkToken(m), error(nil)
	for sent := 1; err == nil && sent < 10; sent++ {
		if _, err = b.Flows.ResendLink(t.Context(), v.Caller, token); err == nil {
			newest = b.invited()
		}
	}
	if !errors.Is(err, code.Held) {
		t.Errorf("a press mails without a limit: %v", err)
	}
	v.must(v.acceptsInvite(newest))
	if a := b.user("mara@example.org"); !slices.Equal(a.Roles, []string{"editor"}) {
		t.Errorf("the roles are %q", a.Roles)
	}
}

// invited returns the token of the next invitation, after other emails.
func (b *bundle) invited() string {
	b.Helper()
	return linkToken(b.awaits("invitation"))
}

// What an admin does to an invitation: send it again, or end it.
func TestInvitation_SentAgainAndEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	former := b.invites("mara@example.org", flow.Draft{})
	list, err := b.Operator.Invitations(t.Context(), "", "", 10)
	if err != nil || len(list.Items) != 1 {
		t.Fatal(list, err)
	}
	if err := b.Operator.InviteAgain(t.Context(), flow.ByOperator, list.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	token, v := linkToken(b.next()), b.visitor("192.0.2.1")
	if _, err := v.acceptsInvite(former); !errors.Is(err, flow.InvitationOver) {
		t.Errorf("the former link: %v", err)
	}
	list, _ = b.Operator.Invitations(t.Context(), "", "", 10)
	if err := b.Operator.EndInvitation(t.Context(), flow.ByOperator, list.Items[0].ID); err != nil || len(list.Items) != 1 {
		t.Fatal(list, err)
	}
	if view := v.opens(token); !errors.Is(view.Fault, flow.InvitationOver) {
		t.Errorf("the ended link shows %+v", view)
	}
	for _, token := range []string{token, former} {
		if _, err := b.Flows.ResendLink(t.Context(), v.Caller, token); !errors.Is(err, flow.InvitationOver) {
			t.Errorf("a press mails it again: %v", err)
		}
	}
	if err := b.Operator.InviteAgain(t.Context(), flow.ByOperator, list.Items[0].ID); !errors.Is(err, flow.NoInvitation) {
		t.Errorf("an ended invitation is sent again: %v", err)
	}
}

// An email that was not sent yet is not sent after the end of its invitation.
func TestInvitation_TakesItsEmailBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changes := map[string]func(context.Context, flow.Actor, string) error{"ended": b.Operator.EndInvitation, "replaced": b.Operator.InviteAgain}
	for name, change := range changes {
		to, now := name+"@example.org", b.clock.Now()
		i := invitation.Invitation{ID: ids.New(), Link: secret.Hash(name), Mail: to, Key: to, By: "operator", State: invitation.Open, CreatedAt: now, EndsAt: now.Add(time.Hour), MessageID: ids.New()}
		b.must(b.store.past(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.InsertInvitation(t.Context(), i); err != nil {
				return err
			}
			return tx.InsertMessage(t.Context(), outbox.Record{ID: i.MessageID, Template: "invitation", DeadAt: now})
		}))
		b.must(change(t.Context(), flow.ByOperator, i.ID))
		b.must(b.store.Read(t.Context(), func(tx flow.Tx) error {
			_, found, err := tx.Message(t.Context(), i.MessageID)
			if found {
				t.Errorf("the email of an invitation that was %s can still be sent", name)
			}
			return err
		}))
	}
}

// A key sends no invitation of an admin again, and nobody sends one that no longer counts.
func TestInvitation_ItsEmailAgain(t *testing.T) {
	t.Parallel()
	var box *secret.Box
	b := setup(t, func(c *flow.Config) { box = c.Key.Box("outbox") })
	owner, _, text := b.administers(24 * time.Hour)
	program, err := b.Operator.ByKey(t.Context(), flow.Caller{}, text)
	b.must(err)
	now, unknown := b.clock.Now(), error(fault.New(fault.Missing, outbox.CodeUnknown))
	for name, want := range map[string]struct{ key, operator error }{
		"alarm":    {unknown, unknown},
		"replaced": {unknown, unknown},
		"admin":    {apikey.OfAdmin, nil},
		"user":     {nil, unknown}, // it is in the queue again
	} {
		to := name + "@example.org"
		i := invitation.Invitation{ID: ids.New(), Link: secret.Hash(name), Mail: to, Key: to, By: "operator", State: invitation.Open, CreatedAt: now, EndsAt: now.Add(time.Hour), MessageID: ids.New()}
		id := i.MessageID
		switch name {
		case "alarm":
			i.By = audit.ByAdmin(owner)
		case "replaced":
			id = ids.New()
		case "admin":
			i.Roles = []string{flow.RoleAdmin}
		}
		b.must(b.store.past(t.Context(), func(tx *store.Tx) error {
			_, err := tx.InsertInvitation(t.Context(), i)
			if err == nil {
				_, err = tx.EndInvitationsBy(t.Context(), audit.ByAdmin(owner), time.Time{})
			}
			return cmp.Or(err, tx.InsertMessage(t.Context(), outbox.Record{ID: id, Template: "invitation", DeadAt: now, Payload: box.Seal([]byte(`{"to":"`+to+`"}`), id)}))
		}))
		if err := b.Operator.MailAgain(t.Context(), program, "", id); !errors.Is(err, want.key) {
			t.Errorf("a key sends %s again: %v", name, err)
		}
		if err := b.Operator.MailAgain(t.Context(), flow.ByOperator, "", id); !errors.Is(err, want.operator) {
			t.Errorf("an operator sends %s again: %v", name, err)
		}
	}
}

// An invitation of somebody who is no longer an admin gives nothing.
func TestInvitation_OfAFormerAdmin(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeInvited))
	ada, _ := b.admin("ada@example.org", "192.0.2.9")
	if _, err := b.Operator.Invite(t.Context(), flow.ByAdmin(ada.Caller, ada.found()), "mara@example.org", flow.Draft{Roles: []string{flow.RoleAdmin}}); err != nil {
		t.Fatal(err)
	}
	token, v := b.invited(), b.visitor("192.0.2.1")
	if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, b.user("ada@example.org").ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := v.acceptsInvite(token); !errors.Is(err, flow.SignUpUninvited) {
		t.Errorf("the link: %v", err)
	}
	if view := v.opens(token); !errors.Is(view.Fault, flow.SignUpUninvited) {
		t.Errorf("the link shows %+v", view)
	}
	if judged, err := b.Operator.TryInvite(t.Context(), flow.ByOperator, "mara@example.org", flow.Draft{}); err != nil || judged[0].Verdict != flow.Invites {
		t.Errorf("another admin cannot invite: %+v, %v", judged, err)
	}
}

// What a thief has invited with the account of an admin gives nothing after the alarm of the admin.
func TestInvitation_AfterAnAlarm(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeInvited))
	ada, phone := b.admin("ada@example.org", "192.0.2.9")
	by := func() flow.Actor { return flow.ByAdmin(ada.Caller, ada.found()) }
	if _, err := b.Operator.Invite(t.Context(), by(), "early@example.org", flow.Draft{}); err != nil {
		t.Fatal(err)
	}
	early := b.invited()
	b.clock.Advance(73 * time.Hour)
	ada.must(b.Flows.StepUp(t.Context(), ada.Caller, flow.Target{}, digits(phone.secret.At(b.clock.Now()))))
	link, err := b.Operator.InviteMany(t.Context(), by(), flow.Draft{Roles: []string{flow.RoleAdmin}, Uses: 9, EndsAt: b.clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	many := linkToken(outbox.Message{Data: map[string]string{"link": link}})
	if _, err := b.Operator.Invite(t.Context(), by(), "thief@example.org", flow.Draft{Roles: []string{flow.RoleAdmin}}); err != nil {
		t.Fatal(err)
	}
	token, v := b.invited(), b.visitor("192.0.2.1")
	ada.must(b.Owner.ChangePassword(t.Context(), ada.Caller, ada.found(), another, another))
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(b.next())))
	for _, token := range []string{token, many} {
		if view := v.opens(token); view.Fault == nil || !errors.Is(view.Fault, flow.SignUpUninvited) {
			t.Errorf("the link shows %+v", view)
		}
	}
	if _, err := v.acceptsInvite(token); !errors.Is(err, flow.SignUpUninvited) {
		t.Errorf("the invitation of a thief: %v", err)
	}
	if _, err := b.Flows.ResendLink(t.Context(), v.Caller, token); !errors.Is(err, flow.SignUpUninvited) {
		t.Errorf("a press mails it again: %v", err)
	}
	if view := v.opens(early); view.Fault != nil {
		t.Errorf("an earlier invitation shows %+v", view)
	}
}

// The list is filtered by stage, in pages. An invitation of a key that has ended is one that ended.
func TestInvitations_ByStage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, k, secret := b.administers(24 * time.Hour)
	program, err := b.Operator.ByKey(t.Context(), flow.Caller{}, secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Operator.Invite(t.Context(), program, "kim@example.org", flow.Draft{}); err != nil {
		t.Fatal(err)
	}
	v := b.visitor("192.0.2.2")
	v.opens(b.invited())
	for _, address := range []string{"noor@example.org", "sam@example.org", "uma@example.org"} {
		b.clock.Advance(time.Minute)
		v.opens(b.invites(address, flow.Draft{}))
	}
	v.must(v.acceptsInvite(b.invites("lea@example.org", flow.Draft{})))
	at := func(stage invitation.Stage) (all []string) {
		for after := ""; ; {
			page, err := b.Operator.Invitations(t.Context(), stage, after, 1)
			if err != nil || len(page.Items) > 1 || page.Partial {
				t.Fatalf("%+v, %v", page, err)
			}
			for _, i := range page.Items {
				all = append(all, i.Mail+" by "+i.By)
			}
			if after = page.Next; after == "" {
				return all
			}
		}
	}
	byKey := "kim@example.org by key:" + k.ID + " (HR import)"
	three := []string{"uma@example.org by operator", "sam@example.org by operator", "noor@example.org by operator"}
	if got := at("opened"); !slices.Equal(got, append(slices.Clone(three), byKey)) {
		t.Errorf("opened are %q", got)
	}
	if err := b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, false); err != nil {
		t.Fatal(err)
	}
	for stage, want := range map[invitation.Stage][]string{"opened": three, "ended": {byKey}, "used": {"lea@example.org by operator"}, "refused": nil} {
		if got := at(stage); !slices.Equal(got, want) {
			t.Errorf("%s are %q, want %q", stage, got, want)
		}
	}
	if got := at(""); len(got) != 5 {
		t.Errorf("all are %q", got)
	}
}

// A key invites nobody to be an admin, and its invitations end with it.
func TestInvitation_OfAKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, k, secret := b.administers(24 * time.Hour)
	by, err := b.Operator.ByKey(t.Context(), flow.Caller{}, secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, roles := range [][]string{{flow.RoleAdmin}, {"editor", flow.RoleAdmin}} {
		d := flow.Draft{Roles: roles, Uses: 1, EndsAt: b.clock.Now().Add(time.Hour)}
		if _, err := b.Operator.Invite(t.Context(), by, "ada@example.org", d); !errors.Is(err, apikey.OfAdmin) {
			t.Errorf("a key invites to %v: %v", roles, err)
		}
		if _, err := b.Operator.TryInvite(t.Context(), by, "ada@example.org", d); !errors.Is(err, apikey.OfAdmin) {
			t.Errorf("a key tries to invite to %v: %v", roles, err)
		}
		if _, err := b.Operator.InviteMany(t.Context(), by, d); !errors.Is(err, apikey.OfAdmin) {
			t.Errorf("a key makes a link to %v: %v", roles, err)
		}
	}
	if _, err := b.Operator.Invite(t.Context(), by, "ada@example.org", flow.Draft{Roles: []string{"editor"}}); err != nil {
		t.Fatal(err)
	}
	token, v := b.invited(), b.visitor("192.0.2.2")
	if view := v.opens(token); view.Fault != nil {
		t.Errorf("the link shows %+v", view)
	}
	if err := b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, false); err != nil {
		t.Fatal(err)
	}
	if _, err := v.acceptsInvite(token); !errors.Is(err, flow.InvitationOver) {
		t.Errorf("after the end of the key: %v", err)
	}
}

// A link for many proves no address, and works as often as it says.
func TestInvitation_ForMany(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeInvited))
	link, err := b.Operator.InviteMany(t.Context(), flow.ByOperator, flow.Draft{Roles: []string{"guest"}, Uses: 2, EndsAt: b.clock.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	token := linkToken(outbox.Message{Data: map[string]string{"link": link}})
	join := func(address string) error {
		v := b.visitor("192.0.2.1")
		if view := v.opens(token); view.Fault != nil || view.Email != "" {
			return view.Fault
		}
		r := v.must(v.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: address, Password: good, Confirm: good, Invitation: token}))
		m := b.next()
		if m.Template != "verify-address" || b.hasAccount(address) {
			t.Fatalf("%s is not proven: %+v", address, m)
		}
		v.must(v.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, m.Data["code"]))
		return nil
	}
	for _, address := range []string{"a@example.org", "b@example.org"} {
		if err := join(address); err != nil || !slices.Equal(b.user(address).Roles, []string{"guest"}) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := join("c@example.org"); !errors.Is(err, code.LinkUsed) {
		t.Errorf("the third: %v", err)
	}
}

// A list that is only tried has the same verdicts.
func TestInvite_Judges(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *flow.Config) { c.Domains = []string{"example.org"} })
	b.visitor("192.0.2.1").register("has@example.org")
	b.invites("invited@example.org", flow.Draft{})
	list := "email,name\n\"Mara\" <mara@example.org>\nMARA@example.org;Twice\nnobody\nhas@example.org\ninvited@example.org\na@example.com\n\nb@example.org, c@example.org\n"
	want := []flow.Verdict{flow.Invites, flow.Twice, flow.Malformed, flow.HasOne, flow.IsInvited, flow.Outside, flow.Invites, flow.Invites}
	numbers := []int{2, 3, 4, 5, 6, 7, 9, 9}
	for _, run := range []func() ([]flow.JudgedLine, error){
		func() ([]flow.JudgedLine, error) {
			return b.Operator.TryInvite(t.Context(), flow.ByOperator, strings.ReplaceAll(list, "\n", "\r\n"), flow.Draft{})
		},
		func() ([]flow.JudgedLine, error) {
			return b.Operator.Invite(t.Context(), flow.ByOperator, list, flow.Draft{})
		},
	} {
		judged, err := run()
		var got []flow.Verdict
		var at []int
		for _, l := range judged {
			got, at = append(got, l.Verdict), append(at, l.Number)
		}
		if err != nil || !slices.Equal(got, want) || !slices.Equal(at, numbers) {
			t.Errorf("the verdicts are %q, of the lines %v, %v", got, at, err)
		}
	}
	got := b.mails(3)
	for _, to := range []string{"mara@example.org", "b@example.org", "c@example.org"} {
		if _, ok := got[to+" invitation"]; !ok {
			t.Errorf("%s gets no email: %v", to, got)
		}
	}
}

// An account waits until an admin approves it. Whoever is invited does not wait.
func TestApproval(t *testing.T) {
	t.Parallel()
	b := setup(t, with(flow.ModeApproved))
	apply := func(address string) *visitor {
		v := b.visitor("192.0.2.1")
		r := v.sends(flow.SignUp, address, good)
		r = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
		if view, err := b.Flows.View(t.Context(), v.Caller, r.FlowID); err != nil || !view.Waits || r.Session != nil {
			t.Fatalf("%s: %+v, %v", address, view, err)
		}
		if m := b.next(); m.Template != "approval-awaited" || m.To != address {
			t.Errorf("%s gets %+v", address, m)
		}
		return v
	}
	mara, noor := apply("mara@example.org"), apply("noor@example.org")
	r := mara.must(mara.signIn("mara@example.org", good))
	if view, err := b.Flows.View(t.Context(), mara.Caller, r.FlowID); err != nil || !view.Waits || r.Session != nil {
		t.Errorf("before the approval: %+v, %v", view, err)
	}
	if _, err := b.Flows.Recover(t.Context(), mara.Caller, "mara@example.org", flow.Target{}); err != nil {
		t.Error(err)
	}
	if m := b.next(); m.Template != "approval-awaited" || m.Data["code"] != "" {
		t.Errorf("a recovery mails %+v", m)
	}
	page, err := b.Operator.People(t.Context(), account.Query{State: account.Waiting, Limit: 10})
	if err != nil || len(page.People) != 2 {
		t.Errorf("in the list are %+v, %v", page.People, err)
	}
	if err := b.Operator.SetUserState(t.Context(), flow.ByOperator, b.user("mara@example.org").ID, account.Active); err != nil {
		t.Error(err)
	}
	if m := b.next(); m.Template != "account-approved" {
		t.Errorf("the approval mails %+v", m)
	}
	if mara.must(mara.signIn("mara@example.org", good)); mara.signedIn() == "" {
		t.Error("after the approval nobody is signed in")
	}
	if err := b.Operator.RefuseUser(t.Context(), flow.ByOperator, b.user("mara@example.org").ID); !errors.Is(err, flow.NotWaiting) {
		t.Errorf("an account that does not wait is refused: %v", err)
	}
	if err := b.Operator.RefuseUser(t.Context(), flow.ByOperator, b.user("noor@example.org").ID); err != nil {
		t.Error(err)
	}
	for m := b.next(); m.Template != "account-refused"; m = b.next() {
		if m.Template != "new-device" {
			t.Errorf("the refusal mails %+v", m)
		}
	}
	if _, err := noor.signIn("noor@example.org", good); !errors.Is(err, flow.Rejected) || b.hasAccount("noor@example.org") {
		t.Errorf("after the refusal: %v", err)
	}
	kim := b.visitor("192.0.2.3")
	if kim.must(kim.acceptsInvite(b.invites("kim@example.org", flow.Draft{}))); kim.signedIn() == "" {
		t.Error("who is invited waits")
	}
}

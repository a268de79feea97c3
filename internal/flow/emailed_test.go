package flow_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
)

// emails returns the templates of the emails about each event, of which each transaction
// with the event has one. It leaves out the events whose row of docs/operating/audit.md
// has a condition, or a reason for none.
var emails = sync.OnceValue(func() map[audit.Name][]string {
	page, err := os.ReadFile("../../docs/operating/audit.md")
	if err != nil {
		panic(err)
	}
	_, table, _ := strings.Cut(string(page), "| event | meaning | detail | email |")
	always := map[audit.Name][]string{}
	template := regexp.MustCompile("`([a-z-]+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*\\| ((?:`[a-z-]+`(?:, | or )?)+) \\|$").FindAllStringSubmatch(table, -1) {
		for _, named := range template.FindAllStringSubmatch(row[2], -1) {
			always[audit.Name(row[1])] = append(always[audit.Name(row[1])], named[1])
		}
	}
	return always
})

// emailed reports whether a transaction with an event and these emails tells its owner.
func emailed(name audit.Name, posted []string) bool {
	want := emails()[name]
	return len(want) == 0 || slices.ContainsFunc(posted, func(template string) bool { return slices.Contains(want, template) })
}

func TestEmailed(t *testing.T) {
	t.Parallel()
	if n := len(emails()); n < 20 {
		t.Fatalf("%d events are always emailed", n)
	}
	if !emailed(audit.SignedOut, nil) || emailed(audit.TrustEnded, []string{"new-device"}) || !emailed(audit.TrustEnded, []string{"account-managed"}) {
		t.Error("the table is read wrong")
	}
}

// Changes without a template of their own name the event, and go to both addresses.
func TestReport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(b *bundle, v *visitor, a account.Account) error
		template string
		event    audit.Name
	}{
		"other sessions": {func(b *bundle, v *visitor, a account.Account) error {
			other := b.visitor("192.0.2.2")
			other.must(other.signIn(a.Address.Mail, good))
			b.mails(2) // about the new browser
			return b.Owner.EndOtherSessions(b.Context(), v.Caller, v.found())
		}, "account-changed", audit.SessionEnded},
		"sessions by the operator": {func(b *bundle, _ *visitor, a account.Account) error {
			_, err := b.Operator.EndUserSessions(b.Context(), flow.ByOperator, a.ID)
			return err
		}, "account-managed", audit.SessionEnded},
		"a session by the operator": {func(b *bundle, v *visitor, _ account.Account) error {
			return b.Operator.EndUserSession(b.Context(), flow.ByOperator, v.found().Session.ID)
		}, "account-managed", audit.SessionEnded},
		"disabled": {func(b *bundle, _ *visitor, a account.Account) error {
			return b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
		}, "account-managed", audit.AccountDisabled},
		"enabled": {func(b *bundle, _ *visitor, a account.Account) error {
			if err := b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator); err != nil {
				return err
			}
			b.mails(2)
			return b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.Active)
		}, "account-managed", audit.AccountEnabled},
		"roles": {func(b *bundle, _ *visitor, a account.Account) error {
			return b.Operator.SetUserRoles(b.Context(), flow.ByOperator, a.ID, []string{"admin"})
		}, "account-managed", audit.RolesChanged},
		"deleted": {func(b *bundle, _ *visitor, a account.Account) error {
			return b.Operator.DeleteUser(b.Context(), flow.ByOperator, a.ID)
		}, "account-managed", audit.AccountDeleted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, v := registered(t)
			v.recovers("spare@example.org", 2)
			b.clock.Advance(72 * time.Hour)
			a, err := b.Operator.User(t.Context(), "mara@example.org")
			if err == nil {
				err = test.change(b, v, a)
			}
			if err != nil {
				t.Fatal(err)
			}
			for address, m := range b.mails(2) {
				if m.Template != test.template || m.Data["event"] != string(test.event) || (m.Data["alarm_link"] == "") != (test.template == "account-managed") {
					t.Errorf("%s: %+v", address, m)
				}
			}
			b.record(test.event)
		})
	}
}

// A call that changes nothing is no news, and is not recorded: a script may repeat it.
func TestReport_OnlyOfChanges(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	id := v.found().User.ID
	if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, id, []string{"admin", "editor"}); err != nil {
		t.Fatal(err)
	}
	b.mailed("account-managed", "en")
	before := len(b.store.facts.all())
	for name, err := range map[string]error{
		"no other sessions": b.Owner.EndOtherSessions(t.Context(), v.Caller, v.found()),
		"the same state":    b.Operator.SetUserState(t.Context(), flow.ByOperator, id, account.Active),
		"the same roles":    b.Operator.SetUserRoles(t.Context(), flow.ByOperator, id, []string{"editor", "admin", "editor"}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if more := b.store.facts.all()[before:]; len(more) > 0 {
		t.Errorf("%+v are recorded", more)
	}
	v.forgets("mara@example.org")
	b.mailed("recover", "en")
	if v.signedIn() == "" {
		t.Error("the session has ended")
	}
}

// The email about a removed app names it. An operator who removes an app for all users
// sends none.
func TestReport_App(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	n.authorize()
	if err := n.Owner.RemoveApp(t.Context(), n.Caller, n.found(), n.client.ID); err != nil {
		t.Fatal(err)
	}
	if m := n.mailed("account-changed", "en"); m.Data["event"] != string(audit.ConsentRevoked) || m.Data["app"] != "rp" {
		t.Errorf("%+v", m)
	}
	n.authorize()
	if use, err := n.Operator.ForgetClient(t.Context(), flow.ByOperator, n.client.ID); err != nil || use.Users != 1 {
		t.Fatal(use, err)
	}
	n.forgets("mara@example.org")
	n.mailed("recover", "en")
}

// A session that the user ends is no news.
func TestReport_NotOfOneSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v, other := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.register("mara@example.org")
	other.must(other.signIn("mara@example.org", good))
	b.mailed("new-device", "en")
	if err := b.Owner.EndSession(t.Context(), v.Caller, v.found(), other.found().Session.ID); err != nil {
		t.Fatal(err)
	}
	b.record(audit.SessionEnded)
	v.forgets("mara@example.org")
	b.mailed("recover", "en")
}

// An alarm is emailed to all other addresses of the account and to the replaced one. An
// address that was never proven gets no email.
func TestAlarm_IsTold(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.recovers("spare@example.org", 2)
	v.recovers("second@example.org", 3)
	b.clock.Advance(100 * 24 * time.Hour)
	v.must(v.signIn("mara@example.org", good))
	v.must(b.Owner.ChangeAddress(t.Context(), v.Caller, v.found(), "unproven@example.org", true))
	b.mailed("confirm-address", "en")
	r, proof := v.asks("thief@example.net")
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, proof.Data["code"]))
	token := alarmToken(b.mails(3)["mara@example.org address-replaced"])
	b.clock.Advance(time.Minute)
	v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, token))
	b.mailed("take-back", "en")
	v.forgets("mara@example.org")
	b.mailed("take-back", "en") // so the emails before it are delivered
	b.mail.mu.Lock()
	defer b.mail.mu.Unlock()
	slices.Sort(b.mail.alarms)
	if !slices.Equal(b.mail.alarms, []string{"second@example.org", "spare@example.org", "thief@example.net"}) {
		t.Errorf("%v are told", b.mail.alarms)
	}
}

// The email to a new address has a link too, if the account has had it for long: a thief
// may have made an address of the owner the primary one. The older address wins.
func TestAlarm_OfTheNewAddress(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.recovers("safe@example.net", 2)
	b.clock.Advance(72 * time.Hour)
	v.must(v.signIn("mara@example.org", good))
	v.must(b.Owner.MakePrimary(t.Context(), v.Caller, v.found(), "safe@example.net"))
	told := b.mails(2)
	b.clock.Advance(time.Minute)
	for _, of := range []string{"safe@example.net address-added", "mara@example.org address-replaced"} {
		v.must(b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(told[of])))
		if m := b.mailed("take-back", "en"); !strings.HasPrefix(of, m.To+" ") {
			t.Errorf("the link to %s mails a code to %s", of, m.To)
		}
	}
	if _, err := b.Flows.RaiseAlarm(t.Context(), v.Caller, alarmToken(told["safe@example.net address-added"])); !errors.Is(err, flow.AlarmOver) {
		t.Errorf("the link of the younger address: %v", err)
	}
}

// The language that a visitor chooses in the menu is recorded, once.
func TestLocale_IsRecorded(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.Locale = "de"
	for range 2 {
		if err := b.Flows.ChooseLocale(t.Context(), v.Caller); err != nil {
			t.Fatal(err)
		}
	}
	v.Caller.Session, v.Locale, v.Chosen = "", "fr", true
	v.must(v.signIn("mara@example.org", good))
	var chosen []string
	for _, f := range b.store.facts.all() {
		if f.Name == audit.LocaleChanged && f.AccountID != "" {
			chosen = append(chosen, f.Detail)
		}
	}
	if !slices.Equal(chosen, []string{"de", "fr"}) {
		t.Errorf("the records have %q", chosen)
	}
}

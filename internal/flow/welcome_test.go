package flow_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/people"
)

// welcoming orders emails for all, one each minute.
func welcoming(changes ...func(*flow.Welcoming)) flow.Welcoming {
	w := flow.Welcoming{Query: account.Query{Limit: 2}, Pace: time.Minute}
	for _, c := range changes {
		c(&w)
	}
	return w
}

func (b *bundle) welcomes(w flow.Welcoming) flow.Welcomed {
	b.Helper()
	found, err := b.Operator.Welcome(b.Context(), w)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// works does the background work of an hour, and returns how many emails each minute had.
func (b *bundle) works(minutes int) (emails []int) {
	b.Helper()
	for range minutes {
		emails = append(emails, b.turn())
		b.clock.Advance(time.Minute)
	}
	return emails
}

// turn does the work that is due now, and returns the number of emails.
func (b *bundle) turn() int {
	b.Helper()
	before := b.counted(audit.LinkMade)
	due, err := b.Operator.WelcomeDue(b.Context())
	for more := due; more && err == nil; {
		err = b.store.Write(b.Context(), func(tx flow.Tx) error {
			more, err = b.Operator.WelcomeNext(b.Context(), tx)
			return err
		})
	}
	if err != nil {
		b.Fatal(err)
	}
	return b.counted(audit.LinkMade) - before
}

func (b *bundle) counted(name audit.Name) (n int) {
	for _, f := range b.store.facts.all() {
		if f.Name == name {
			n++
		}
	}
	return n
}

// arrives imports people without passwords, whose addresses are proven.
func (b *bundle) arrives(addresses ...string) {
	b.Helper()
	for _, a := range addresses {
		b.brings(how(), people.Person{Email: a, EmailVerified: true, Locale: "de"})
	}
}

func tokenOf(t *testing.T, m outbox.Message) string {
	t.Helper()
	u, err := url.Parse(m.Data["link"])
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("token")
}

func TestWelcome_ChoosesAPassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arrives("mara@example.org")
	ends := func() int { // sessions, of which there are none
		_, err := b.Operator.EndUserSessions(t.Context(), flow.ByOperator, b.user("mara@example.org").ID)
		b.must(err)
		return b.turn()
	}
	ends()
	if got := b.welcomes(welcoming()); !cmp.Equal(got, flow.Welcomed{"": 1}) || ends() != 1 {
		t.Fatalf("the order finds %v", got)
	}
	m := b.next()
	if m.Template != "welcome" || m.To != "mara@example.org" || m.Locale != "de" {
		t.Errorf("the email is %s to %s in %s", m.Template, m.To, m.Locale)
	}
	if f := b.record(audit.LinkMade); f.Actor != "operator" || f.Detail != "welcome" {
		t.Errorf("the record has %+v", f)
	}
	b.clock.Advance(code.WelcomeLife - time.Second)
	v := b.visitor("192.0.2.1")
	r := v.must(v.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: tokenOf(t, m)}))
	v.must(v.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: good, Confirm: good}))
	if v.signedIn() == "" {
		t.Error("the new password does not sign in")
	}
	if got := b.welcomes(welcoming()); len(got) > 0 {
		t.Errorf("after the password: %v", got)
	}
}

// The link ends after a day, and leads no further than an hour after it was opened.
func TestWelcome_LinkEnds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arrives("mara@example.org")
	b.welcomes(welcoming())
	b.turn()
	m := b.next()
	v := b.visitor("192.0.2.1")
	r := v.must(v.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: tokenOf(t, m)}))
	b.clock.Advance(time.Hour)
	if _, err := v.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: good, Confirm: good}); err == nil {
		t.Error("the page of the password is open after an hour")
	}
	b.arrives("ben@example.org")
	b.welcomes(welcoming())
	b.turn()
	late := b.next()
	b.clock.Advance(code.WelcomeLife)
	if _, err := v.Flows.ConfirmLink(t.Context(), v.Caller, flow.LinkInput{Token: tokenOf(t, late)}); err == nil {
		t.Error("the link works after a day")
	}
}

func TestWelcome_Pace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 5 {
		b.arrives(fmt.Sprintf("p%d@example.org", i))
	}
	half := func(w *flow.Welcoming) { w.Pace = 2 * time.Minute }
	dry := func(w *flow.Welcoming) { w.DryRun = true }
	if got := b.welcomes(welcoming(dry)); !cmp.Equal(got, flow.Welcomed{"": 5}) || b.turn() != 0 {
		t.Fatalf("the dry run finds %v", got)
	}
	b.welcomes(welcoming(half))
	if got := b.works(4); !cmp.Equal(got, []int{1, 0, 1, 0}) {
		t.Errorf("emails in each minute: %v", got)
	}
	if got, want := b.welcomes(welcoming()), (flow.Welcomed{"waiting": 3, "emailed": 2}); !cmp.Equal(got, want) {
		t.Errorf("a second order finds %v, want %v", got, want)
	}
	if got := b.works(2); !cmp.Equal(got, []int{1, 1}) {
		t.Errorf("at the new pace: %v", got)
	}
	n, err := b.Operator.StopWelcomes(t.Context())
	if got := b.works(2); err != nil || n != 1 || !cmp.Equal(got, []int{0, 0}) {
		t.Errorf("%d stopped, and then %v (%v)", n, got, err)
	}
	fast := func(w *flow.Welcoming) { w.Pace = time.Second }
	for i := range 12 {
		b.arrives(fmt.Sprintf("q%d@example.org", i))
	}
	b.welcomes(welcoming(fast))
	b.clock.Advance(24 * time.Hour) // nothing ran: that gives no burst
	if got := b.turn(); got != 10 {
		t.Errorf("%d emails of ten seconds", got)
	}
}

// cautious stops one email in each transaction.
type cautious struct{ flow.Tx }

func (c cautious) StopWelcomes(ctx context.Context, _ int) (int64, error) {
	return c.Tx.StopWelcomes(ctx, 1)
}

type cautiousStore struct{ flow.Store }

func (s cautiousStore) Write(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Write(ctx, func(tx flow.Tx) error { return fn(cautious{tx}) })
}

// An order for many takes several transactions, because one would exceed the time of a request.
func TestWelcome_InParts(t *testing.T) {
	t.Parallel()
	s := &mortal{}
	b := setup(t, func(c *flow.Config) { s.Store = cautiousStore{c.Store}; c.Store = s })
	for i := range 30 {
		b.arrives(fmt.Sprintf("p%d@example.org", i))
	}
	all := func(w *flow.Welcoming) { w.Query.Limit = account.MostPeople }
	s.left.Store(2)
	if _, err := b.Operator.Welcome(t.Context(), welcoming(all)); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if got, want := b.welcomes(welcoming(all)), (flow.Welcomed{"waiting": 25, "": 5}); !cmp.Equal(got, want) {
		t.Errorf("after an interruption: %v, want %v", got, want)
	}
	if n, err := b.Operator.StopWelcomes(t.Context()); n != 30 || err != nil {
		t.Errorf("%d stopped: %v", n, err)
	}
}

// Who is not a newcomer anymore when the turn comes gets no email, whatever happened between.
func TestWelcome_ChangesBetween(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(b *bundle, a account.Account){
		"disabled": func(b *bundle, a account.Account) {
			_ = b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
		},
		"disabled and enabled": func(b *bundle, a account.Account) {
			_ = b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
			_ = b.Operator.SetUserState(b.Context(), flow.ByOperator, a.ID, account.Active)
		},
		"deleted": func(b *bundle, a account.Account) { _ = b.Operator.DeleteUser(b.Context(), flow.ByOperator, a.ID) },
		"has a password": func(b *bundle, a account.Account) {
			_ = b.Operator.SetUserPassword(b.Context(), flow.ByOperator, a, good)
		},
		"signed in": func(b *bundle, a account.Account) {
			v := b.visitor("192.0.2.1")
			r := v.must(v.Flows.SendCode(b.Context(), v.Caller, a.Address.Mail, flow.Target{}))
			v.must(v.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, b.awaits("signin-code").Data["code"]))
		},
		"stopped": func(b *bundle, _ account.Account) { _, _ = b.Operator.StopWelcomes(b.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(c *flow.Config) { c.ByCode = true })
			b.arrives("mara@example.org", "ben@example.org")
			b.welcomes(welcoming())
			change(b, b.user("mara@example.org"))
			b.works(3)
			for _, f := range b.store.facts.all() {
				if f.Name == audit.LinkMade && f.Detail == "welcome" && name != "stopped" && f.AccountID != b.user("ben@example.org").ID {
					t.Error("the person got the email")
				}
			}
		})
	}
}

// Some get none from the beginning.
func TestWelcome_LeavesOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	v.register("signed-up@example.org")
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "created@example.org", "", ""); err != nil {
		t.Fatal(err)
	}
	b.brings(how(), people.Person{Email: "hash@example.org2", EmailVerified: true, Password: b.user("signed-up@example.org").Password})
	b.brings(how(), people.Person{Email: "unproven@example.org"}, people.Person{Email: "closed@example.org", EmailVerified: true, State: "disabled"})
	b.arrives("staff@example.org")
	want := flow.Welcomed{"": 1, "unproven": 1, "closed": 1}
	dry := func(w *flow.Welcoming) { w.DryRun = true }
	if got := b.welcomes(welcoming(dry)); !cmp.Equal(got, want) {
		t.Errorf("the order finds %v, want %v", got, want)
	}
	all := func(w *flow.Welcoming) { w.Unproven = true }
	if got := b.welcomes(welcoming(dry, all)); got[""] != 2 {
		t.Errorf("with unproven ones: %v", got)
	}
	role := func(w *flow.Welcoming) { w.Query.Role = "staff" }
	if got := b.welcomes(welcoming(dry, role)); len(got) != 0 {
		t.Errorf("with a role: %v", got)
	}
}

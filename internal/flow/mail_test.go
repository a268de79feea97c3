package flow_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/store"
	"portico/internal/webhook"
)

// answers are the emails that a visitor asks for. They tell of no change.
var answers = []string{
	"verify-address", "recover", "signin-code", "already-registered", "no-account", "account-closed", "provider-only",
	"address-of-account", "confirm-address", "address-taken", "address-outside", "take-back",
	"invitation-needed", "approval-awaited",
}

// uncopied are the emails about changes that go to one address, with the reasons.
var uncopied = map[string]string{
	"signin-blocked": "strangers cause it, with and without an account",
	"address-added":  "the address for notices gets the email about the former address",
	"address-given":  "an operator has ended the address for notices",
	"alarm-raised":   "an alarm posts it to each address",
	"key-ends":       "it tells of no change",

	"approvals-asked":  "it tells of no change of the admin's account",
	"invitation":       "there is no account yet",
	"account-approved": "an account that waits has one address",
	"account-refused":  "an account that waits has one address",
	"welcome":          "one mailbox gets the link, and nobody has signed in yet",

	"password-unproven": "the other addresses have just gone, too",
}

// unalarming are the emails about changes without the button "This wasn't me", with the
// reasons. Decision 47 has more about them.
var unalarming = map[string]string{
	"account-managed":  "an alarm would not undo the change of an operator",
	"picture-removed":  "an alarm would not undo the change of an operator",
	"address-changed":  "the link would be void",
	"address-given":    "a stranger may have the mailbox, if the operator has mistyped the address",
	"alarm-raised":     "the alarm makes its link void",
	"invitation":       "there is no account yet",
	"account-approved": "nobody but the user could sign in before",
	"account-refused":  "there is no account anymore",
	"key-ends":         "it tells of no change",
	"approvals-asked":  "it tells of no change of the admin's account",
	"welcome":          "nobody has signed in yet, and its button is the link",
	"link-mailed":      "its button is the link of the admin, and the copy has the other one",

	"password-unproven": "its mailbox has just been used, and nobody could sign in without it",
}

// All emails about changes go to the address for recovery and notices, too, and have the
// button, but for those above. So a new template needs both, or a reason.
func TestMail_AboutChanges(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("mail.go")
	if err != nil {
		t.Fatal(err)
	}
	b, v := registered(t)
	v.recovers("spare@example.org", 2)
	b.clock.Advance(72 * time.Hour)
	owner := b.user("mara@example.org")
	templates := regexp.MustCompile(`(?m)^\tmail\w+ += "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(templates) < 40 {
		t.Fatalf("%d templates are found", len(templates))
	}
	for _, found := range templates {
		template := found[1]
		answer := slices.Contains(answers, template)
		var posted []string
		if err := b.store.past(t.Context(), func(tx *store.Tx) error {
			posted = nil
			return b.Flows.Post(t.Context(), notingTx{tx, new([]audit.Fact), &posted, new([]webhook.Event)}, template, owner)
		}); err != nil {
			t.Fatal(err)
		}
		if copied := len(posted) == 2; copied == (answer || uncopied[template] != "") {
			t.Errorf("%s goes to %d addresses", template, len(posted))
		}
		if template == "alarm-raised" {
			continue // the mailbox of the test drops it
		}
		for to, m := range b.mails(len(posted)) {
			if button := m.Data["alarm_link"] != ""; button == (answer || unalarming[m.Template] != "") {
				t.Errorf("%s with the button: %v", to, button)
			}
		}
	}
}

// An email is offered again if its person and its end let it be sent.
func TestPerson_EmailsToSendAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	id, now := b.user("mara@example.org").ID, b.clock.Now()
	p, err := b.Operator.Person(t.Context(), id)
	b.must(err)
	dead := []outbox.Record{{ID: "sent", AccountID: id}, {ID: "before", AccountID: ""}, {ID: "expired", AccountID: id, NotAfter: now}}
	b.must(b.store.past(t.Context(), func(tx *store.Tx) error {
		for _, r := range dead {
			r.Template, r.DeadAt = "notice", now
			o := outbox.Outcome{ID: r.ID, Mailbox: p.Emails[0].Mailbox, Template: "notice", AskedAt: now, At: now, State: outbox.GivenUp}
			if err := errors.Join(tx.InsertMessage(t.Context(), r), tx.InsertOutcome(t.Context(), o)); err != nil {
				return err
			}
		}
		return nil
	}))
	p, err = b.Operator.Person(t.Context(), id)
	b.must(err)
	for _, r := range dead {
		err := b.Operator.MailAgain(t.Context(), flow.ByOperator, id, r.ID)
		if want := r.ID == "sent"; p.Again[r.ID] != want || (err == nil) != want {
			t.Errorf("%s is offered: %v, and sent: %v", r.ID, p.Again[r.ID], err)
		}
	}
}

// All emails that were given up take several transactions, because one would exceed the time of a request.
func TestMailAllAgain_InParts(t *testing.T) {
	t.Parallel()
	s := &mortal{}
	b := setup(t, func(c *flow.Config) { s.Store = c.Store; c.Store = s })
	err := b.store.past(t.Context(), func(tx *store.Tx) error {
		for i := range 150 {
			dead := outbox.Record{ID: fmt.Sprint(i), Template: "notice", DeadAt: b.clock.Now().Add(-time.Second)}
			if err := tx.InsertMessage(t.Context(), dead); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.left.Store(2)
	if n, err := b.Operator.MailAllAgain(t.Context(), flow.ByOperator); n != 25 || !errors.Is(err, errKilled) {
		t.Fatalf("%d emails, and then %v", n, err)
	}
	if n := b.counted(audit.MailSentAgain); n != 25 {
		t.Errorf("%d records", n)
	}
	if n, err := b.Operator.MailAllAgain(t.Context(), flow.ByOperator); n != 125 || err != nil {
		t.Errorf("%d emails after an interruption: %v", n, err)
	}
}

package security

import (
	"strings"
	"testing"
	"time"

	"portico/internal/outbox"
)

// state returns the state of a flow, as its page gets it.
func (v *visitor) state(flow string) string {
	v.Helper()
	var got struct{ State string }
	v.get("/auth/api/flows/" + flow).must(200).parse(&got)
	return got.State
}

func TestSEC330_RefusedMailTellsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	people := s.cast()
	visitors := map[string]*visitor{}
	for kind := range people.all() {
		visitors[kind] = s.visitor()
	}
	ask := func(begin func(v *visitor, address string) string, want string) {
		t.Helper()
		for kind, address := range people.all() {
			v := visitors[kind]
			flow := begin(v, address)
			s.settle()
			if got := v.state(flow); got != want {
				t.Errorf("%s: %s, want %s", kind, got, want)
			}
			if page := v.get("/auth/verify-code?flow=" + flow).must(200).body; strings.Contains(page, "refused") != (want == "refused") {
				t.Errorf("%s: the page does not say %s:\n%s", kind, want, page)
			}
			// Another browser learns nothing about the flow.
			s.visitor().get("/auth/api/flows/"+flow).refused(404, "flow.unknown")
		}
	}
	forgot := (*visitor).forgot
	signUp := func(v *visitor, address string) string { return v.signUp(address, other) }

	ask(forgot, "code") // the server accepts every email
	s.mail.refuse(true)
	// Within a day of that, an unknown address gets no second email. So the answer
	// to a known one is not told either.
	ask(forgot, "code")
	ask(signUp, "refused")

	s.mail.refuse(false)
	ask(signUp, "code") // told as soon as the server accepts email
	s.clock.Advance(25 * time.Hour)
	s.mail.refuse(true)
	ask(forgot, "refused")
	s.mail.refuse(false)
	s.clock.Advance(31 * time.Minute)
	// The newest answer that both kinds of address have received.
	ask(forgot, "refused")
	s.clock.Advance(outbox.KeepRefusal)
	ask(forgot, "code")
}

func TestSEC331_RefusalIsAboutTheOwnEmail(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("victim")
	v := s.visitor()
	flow := v.signUp(address, good)
	email := s.mail.next(address)
	// Later emails that strangers cause are refused, for example because the mailbox
	// is full. The code that has arrived still works.
	s.clock.Advance(time.Second)
	s.mail.refuse(true)
	s.visitor().signUp(address, other)
	s.settle()
	if got := v.state(flow); got != "code" {
		t.Errorf("the flow of the owner is %s", got)
	}
	v.verify(flow, email.code(t)).must(200)
}

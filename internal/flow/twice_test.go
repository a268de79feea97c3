package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/people"
)

// sends sends a form that mails a code.
func (v *visitor) sends(kind flow.Kind, address, chosen string) flow.Result {
	v.Helper()
	if kind == flow.Recovery {
		return v.forgets(address)
	}
	return v.must(v.Flows.SignUp(v.Context(), v.Caller, flow.SignUpInput{Email: address, Password: chosen, Confirm: chosen}))
}

const another = "seven hills under a paper lantern"

// A form that was sent twice in one browser, after an error or in a second tab:
// the code of either mail holds on either page, and guesses count together.
func TestFormSentTwice_EitherCode(t *testing.T) {
	t.Parallel()
	for _, kind := range []flow.Kind{flow.SignUp, flow.Recovery} {
		for page := range 2 {
			for mail := range 2 {
				b := setup(t)
				if kind == flow.Recovery {
					b.visitor("192.0.2.9").register("mara@example.org")
				}
				v := b.visitor("192.0.2.1")
				var pages, codes [2]string
				for i, chosen := range []string{good, another} {
					pages[i] = v.sends(kind, "mara@example.org", chosen).FlowID
					codes[i] = b.next().Data["code"]
				}
				_, err := b.Flows.VerifyCode(t.Context(), v.Caller, pages[1-page], wrong(codes[:]...))
				wantLeft(t, err, "4")
				_, err = b.Flows.VerifyCode(t.Context(), v.Caller, pages[page], wrong(codes[:]...))
				wantLeft(t, err, "3")
				v.must(b.Flows.VerifyCode(t.Context(), v.Caller, pages[page], codes[mail]))
				if kind == flow.Recovery {
					continue
				}
				if v.signedIn() != "mara@example.org" {
					t.Errorf("page %d, mail %d: nobody is signed in", page, mail)
				}
				if _, err := b.visitor("192.0.2.2").signIn("mara@example.org", another); err != nil {
					t.Errorf("page %d, mail %d: the password of the last form: %v", page, mail, err)
				}
			}
		}
	}
}

func wantLeft(t *testing.T, err error, left string) {
	t.Helper()
	if !errors.Is(err, code.Wrong) || fault.From(err).Params["count"] != left {
		t.Errorf("a wrong code: %v, want %s attempts left", err, left)
	}
}

// wrong returns digits that are none of the codes.
func wrong(codes ...string) string {
	for i := 0; ; i++ {
		if guess := fmt.Sprintf("%06d", i); !slices.Contains(codes, guess) {
			return guess
		}
	}
}

// No more than the two newest codes hold at a time, however often a form is
// sent, and a flow without guesses is not continued.
func TestFormSentTwice_GuessesNoEasier(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	var codes []string
	var page string
	for range 3 {
		page = v.sends(flow.SignUp, "mara@example.org", good).FlowID
		codes = append(codes, b.next().Data["code"])
		b.clock.Advance(time.Second) // no two are made at the same moment
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, page, codes[0]); !errors.Is(err, code.Expired) {
		t.Errorf("the code of the first of three mails: %v, want %v", err, code.Expired)
	}
	for range 4 {
		_, _ = b.Flows.VerifyCode(t.Context(), v.Caller, page, wrong(codes...))
	}
	if next := v.sends(flow.SignUp, "mara@example.org", good).FlowID; next == page {
		t.Error("a flow without guesses goes on")
	}
	stranger := b.visitor("192.0.2.2")
	if other := stranger.sends(flow.SignUp, "mara@example.org", another).FlowID; other == page {
		t.Error("another browser goes on with the flow")
	}
}

// Two forms at once are one flow, also when neither found the other's.
func TestFormSentTwice_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.visitor("192.0.2.1")
	v.BrowserCookie = v.sends(flow.SignUp, "first@example.org", good).BrowserCookie
	b.next()
	pages := make(chan string, 4)
	for range 4 {
		go func() {
			r, err := b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good})
			if err != nil {
				t.Error(err)
			}
			pages <- r.FlowID
		}()
	}
	first := <-pages
	for range 3 {
		if other := <-pages; other != first {
			t.Errorf("forms that were sent at once are the flows %s and %s", first, other)
		}
	}
}

// The newest form also counts if it comes while the link of an earlier one is used: with its password, and elsewhere
// only for whoever knows that one.
func TestFormSentTwice_DuringALink(t *testing.T) {
	t.Parallel()
	for _, elsewhere := range []bool{false, true} {
		m := &mortal{}
		b := setup(t, func(c *flow.Config) { m.Store, c.Store = c.Store, m })
		here := b.visitor("192.0.2.1")
		here.sends(flow.SignUp, "mara@example.org", good)
		in := flow.LinkInput{Token: linkToken(b.next()), Password: good}
		v := here
		if elsewhere {
			v = b.visitor("192.0.2.2")
		}
		m.does = func() { here.sends(flow.SignUp, "mara@example.org", another) }
		m.left.Store(1)
		r, err := b.Flows.ConfirmLink(t.Context(), v.Caller, in)
		if elsewhere {
			if !errors.Is(err, flow.LinkPassword) || b.hasAccount("mara@example.org") {
				t.Errorf("the password of the earlier form: %+v, %v", r, err)
			}
			in.Password = another
			r, err = b.Flows.ConfirmLink(t.Context(), v.Caller, in)
		}
		v.must(r, err)
		if _, err := b.visitor("192.0.2.3").signIn("mara@example.org", another); err != nil {
			t.Errorf("elsewhere %t: the password of the newest form: %v", elsewhere, err)
		}
	}
}

// Another email is of the flow as the newest form left it.
func TestFormSentTwice_DuringAResend(t *testing.T) {
	t.Parallel()
	m := &mortal{}
	b := setup(t, withProvider(t), func(c *flow.Config) { m.Store, c.Store = c.Store, m })
	v := b.visitor("192.0.2.1")
	r := v.forgets("mara@example.org")
	b.next()
	m.does = func() {
		b.brings(how(), people.Person{Email: "mara@example.org", EmailVerified: true, Identities: []people.Identity{{Issuer: google, Subject: "1"}}})
		v.forgets("mara@example.org")
		b.clock.Advance(31 * time.Second)
	}
	m.left.Store(1)
	v.must(b.Flows.Resend(t.Context(), v.Caller, r.FlowID))
	if form, again := b.next(), b.next(); form.Template != "provider-only" || again.Template != form.Template {
		t.Errorf("the form mails %s, and the button after it %s", form.Template, again.Template)
	}
}

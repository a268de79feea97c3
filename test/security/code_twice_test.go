package security

import (
	"fmt"
	"sync"
	"testing"
)

// A form that is sent twice must not make guessing easier. At most two codes
// are valid, and guesses count together for all forms, whether they come one
// after another or at once.
func TestSEC211_FormsSentTwiceShareTheirGuesses(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, operation := range []string{"signup", "forgot-password"} {
		s := start(t)
		address := fresh("v")
		if operation == "forgot-password" {
			s.operator(address, good)
		}
		v := s.visitor()
		v.get("/auth/" + operation)
		bound := v.cookie("browser")
		if bound == "" {
			t.Fatalf("%s: the page of the form does not bind its browser", operation)
		}
		body := object{"email": address, "password": good, "confirm_password": good}
		if operation == "forgot-password" {
			body = object{"email": address}
		}
		var mu sync.Mutex
		flows := map[string]bool{}
		var senders sync.WaitGroup
		for range 4 {
			senders.Go(func() {
				a, err := v.tryAs(v, operation, body)
				if err != nil || a.status != 200 {
					t.Errorf("%s: %v %v", operation, err, a)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				flows[a.flow()] = true
			})
		}
		senders.Wait()
		if len(flows) != 1 {
			t.Errorf("%s: four forms at once are %d flows", operation, len(flows))
		}
		var codes []string
		for range 4 {
			codes = append(codes, s.mail.code(address))
		}
		for flow := range flows {
			for i := range 5 {
				guess := fmt.Sprintf("%06d", i)
				if guess == codes[0] || guess == codes[1] || guess == codes[2] || guess == codes[3] {
					continue
				}
				v.verify(flow, guess)
			}
			v.verify(flow, codes[3]).refused(429, "code.used_up")
		}
	}
}

// A user who repeats a form after a lost answer gets two emails. The page of
// the form has bound the browser already, so either code is valid there.
func TestSEC211_EitherCodeHoldsAfterALostAnswer(t *testing.T) {
	announce(t)
	t.Parallel()
	for n := range 2 {
		s := start(t)
		address := fresh("v")
		v := s.visitor()
		v.get("/auth/signup")
		// The first answer is lost: the browser gets neither its cookies nor
		// its body.
		if a, err := v.tryAs(v, "signup", object{"email": address, "password": good, "confirm_password": good}); err != nil || a.status != 200 {
			t.Fatal(err, a)
		}
		codes := []string{s.mail.code(address)}
		flow := v.signUp(address, good)
		codes = append(codes, s.mail.code(address))
		v.verify(flow, codes[n]).must(200)
		if v.whoami() != address {
			t.Errorf("after the code of email %d %q is signed in", n+1, v.whoami())
		}
	}
}

package security

import (
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/flow"
	format "portico/internal/people"
)

// Recovery codes of another system work once, in one of many sign-ins at the same moment. All are tried for each guess,
// which the limits of other guesses bound, and the database alone does not tell them.
func TestSEC410_ImportedRecoveryCodes(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address, codes := fresh("imported"), []string{"bbbb2222", "dddd4444", "Cccc-3333", "$sha512$salt=before$$bDVhcIFMMieceym0wLw7aIPeEgJ+cMNKTUnVMp+OMJrgxHUU1rTNmx5Wgf8TA/MOxVRVgcGt/IyUpO7Iou8Blg"}
	former := s.operator(fresh("former"), good)
	done, err := s.app.Operator.Import(s.Context(), flow.ByOperator, []format.Person{{
		Email: address, EmailVerified: true, Password: s.of(former.Address.Mail).Password, RecoveryCodes: codes,
		TOTP: []format.TOTP{{Secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"}},
	}}, flow.Import{
		Hash: func(text string) (string, error) {
			stored, _, err := s.app.Passwords.Adopt(text)
			return stored, err
		},
	})
	if err != nil || done[0].Outcome != flow.Created || len(done[0].Left) > 0 {
		t.Fatalf("the import: %+v (%v)", done, err)
	}
	if n := s.count(`SELECT COUNT(*) FROM recovery_code WHERE hash LIKE '$keyed$keyid=%' AND hash NOT LIKE '%bDVhcIFMMiec%' AND hash NOT LIKE '%2222%'`); n != len(codes) {
		t.Errorf("%d of %d codes are under the master key", n, len(codes))
	}
	pending := func() (*visitor, string) {
		v := s.visitor()
		return v, v.signIn(address, good).must(200).flow()
	}
	for _, typed := range []string{"BBBB-2222", "cccc3333", "ABCD-EFGH-1234"} {
		var running sync.WaitGroup
		answers := make(chan int, 4)
		for range cap(answers) {
			v, flow := pending()
			running.Go(func() { answers <- v.giveRecovery(flow, typed).status })
		}
		running.Wait()
		close(answers)
		won := 0
		for status := range answers {
			if status == 200 {
				won++
			}
		}
		if won != 1 {
			t.Errorf("%s: %d of 4 got a session", typed, won)
		}
		s.clock.Advance(2 * time.Hour)
	}

	guesses, limited := 0, false
	for range 10 {
		v, flow := pending()
		for range 5 {
			a := v.giveRecovery(flow, strings.Repeat("z", 8))
			guesses++
			limited = limited || a.status == 429
		}
	}
	if !limited {
		t.Errorf("%d guesses are allowed in a row", guesses)
	}
}

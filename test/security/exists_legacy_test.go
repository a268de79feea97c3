package security

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/legacy"
	imports "portico/internal/people"
	"portico/internal/signature"
)

// formerPassword is what the former system takes from everybody.
const formerPassword = "from the old days"

// former is a former system.
type former struct {
	mu     sync.Mutex
	asked  []string
	during func(w http.ResponseWriter, r *http.Request) bool // reports whether it has answered
}

func (f *former) about() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// startFormer starts a site that asks a former system.
func startFormer(t *testing.T, change func(*config.Config)) (*site, *former) {
	t.Helper()
	f := &former{during: func(http.ResponseWriter, *http.Request) bool { return false }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Data struct{ Email, Password string }
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		f.mu.Lock()
		f.asked = append(f.asked, q.Data.Email)
		f.mu.Unlock()
		if f.during(w, r) {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]bool{"right": q.Data.Password == formerPassword})
	}))
	t.Cleanup(server.Close)
	s := start(t, func(c *config.Config) {
		c.SignIn.Legacy, c.SignIn.LegacySecret, c.SignIn.LegacyUntil, c.SignIn.LegacyPrivate = server.URL, signature.NewKey(), "2026-06-30", true
		change(c)
	})
	return s, f
}

func asItIs(*config.Config) {}

// arrives imports a person without a password.
func (s *site) arrives(name string) (address string) {
	s.Helper()
	address = fresh(name)
	if _, err := s.app.Operator.Import(s.Context(), flow.ByOperator, []imports.Person{{Email: address, EmailVerified: true}}, flow.Import{}); err != nil {
		s.Fatal(err)
	}
	return address
}

// Whether the former system answers at once, late or never: a sign-in that fails takes as long as it may take, for every address
// alike, and has the same answer. Only a lower bound is certain on a busy machine; TestLegacy_NeverAsks counts the waits.
func TestSEC414_LegacyTimeTellsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s, f := startFormer(t, asItIs)
	mara, own := s.arrives("mara"), fresh("own")
	s.operator(own, good)
	slow := s.arrives("slow")
	f.during = func(_ http.ResponseWriter, r *http.Request) bool {
		if about := f.about(); about[len(about)-1] != slow {
			return false
		}
		<-r.Context().Done()
		return true
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	lengths := map[int]bool{}
	for _, address := range []string{mara, own, fresh("nobody")} {
		all.Go(func() {
			v := s.visitor()
			var a *answer
			if took := timed(func() { a = v.signIn(address, other) }); took < legacy.Timeout {
				t.Errorf("%s is refused after %v", address, took)
			}
			a.refused(401, "signin.rejected")
			mu.Lock()
			defer mu.Unlock()
			lengths[len(a.body)] = true
		})
	}
	all.Wait()
	s.visitor().signIn(slow, formerPassword).refused(401, "signin.rejected")
	if len(lengths) != 1 {
		t.Errorf("the answers have the lengths %v", lengths)
	}
	if about := f.about(); !slices.Equal(about, []string{mara, slow}) {
		t.Errorf("the former system was asked about %q", about)
	}
}

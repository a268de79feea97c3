package security

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"portico/internal/config"
	"portico/internal/signature"
)

// gatekeeper is an app that is asked about sign-ups.
type gatekeeper struct {
	mu     sync.Mutex
	asked  []string
	answer http.HandlerFunc
}

// about returns the addresses that it was asked about since the last call.
func (g *gatekeeper) about() (asked []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked, g.asked = g.asked, nil
	return asked
}

func (g *gatekeeper) says(answer string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answer = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
}

// asksApp is the option of a site that asks an app, which refuses everybody.
func asksApp(t *testing.T) (*gatekeeper, option) {
	t.Helper()
	g := &gatekeeper{}
	g.says(`{"allow": false}`)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Data struct{ Email string } }
		_ = json.NewDecoder(r.Body).Decode(&q)
		g.mu.Lock()
		g.asked = append(g.asked, q.Data.Email)
		answer := g.answer
		g.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return g, func(c *config.Config) {
		c.SignUp.Ask, c.SignUp.AskSecret, c.SignUp.AskPrivate = server.URL, signature.NewKey(), true
	}
}

// Nobody learns what the app says of an address, or whether it has an account, before it is proven. A refusal leaves nothing,
// and one sign-up that is confirmed many times makes one account.
func TestSEC418_AsksAboutProvenAddresses(t *testing.T) {
	announce(t)
	t.Parallel()
	g, asks := asksApp(t)
	s := start(t, asks, func(c *config.Config) {
		c.Webhooks = []config.Webhook{{Name: "shop", URL: "https://no-such-name.invalid/", Events: []string{"*"}, Secret: signature.NewKey(), Key: "webhook.1"}}
	})
	mara, taken := fresh("mara"), fresh("taken")
	s.operator(taken, good)
	v := s.visitor()
	for _, address := range []string{mara, taken} {
		w := s.visitor()
		flow := w.signUp(address, good)
		w.verify(flow, "000000").refused(422, "code.wrong")
	}
	flow := v.signUp(mara, good)
	_ = s.mail.next(mara)
	code := s.mail.next(mara).code(t)
	if asked := g.about(); asked != nil {
		t.Errorf("asked about %q before an address was proven", asked)
	}
	g.says(`{"allow": false, "text": "For members."}`)
	s.unchanged("a refusal", func() {
		a := v.verify(flow, code)
		a.refused(403, "signup.said")
		if p := a.problem(); p.Params["text"] != "For members." {
			t.Errorf("the problem is %+v", p)
		}
	}, "throttle", "audit")
	if asked := g.about(); !slices.Equal(asked, []string{mara}) {
		t.Errorf("asked about %q", asked)
	}
	g.says(`{"allow": true}`)
	var all sync.WaitGroup
	made := make(chan int, 10)
	for range cap(made) {
		w := s.with("")
		for name, value := range v.cookies {
			w.cookies[name] = value
		}
		all.Go(func() {
			if w.verify(flow, code).status == 200 {
				made <- 1
			}
		})
	}
	all.Wait()
	if n := s.count(`SELECT COUNT(*) FROM account`); n != 2 || len(made) != 1 {
		t.Errorf("%d accounts, %d browsers are signed in", n, len(made))
	}
}

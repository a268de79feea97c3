package security

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"portico/internal/config"
	"portico/internal/signature"
)

// The app that is asked about sign-ups reaches no server inside, holds nobody else, and puts no markup on a page.
func TestSEC427_AppThatIsAsked(t *testing.T) {
	announce(t)
	t.Parallel()
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"allow": true}`))
	}))
	t.Cleanup(inside.Close)
	g, asks := asksApp(t)
	s := start(t, asks)
	apart := start(t, func(c *config.Config) { c.SignUp.Ask, c.SignUp.AskSecret = inside.URL, signature.NewKey() })
	waiting := make(chan struct{}, 1)
	for name, how := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
		},
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"allow": true, "x": "` + strings.Repeat("x", 1<<20) + `"}`))
		},
		"silence": func(_ http.ResponseWriter, r *http.Request) { waiting <- struct{}{}; <-r.Context().Done() },
	} {
		g.mu.Lock()
		g.answer = how
		g.mu.Unlock()
		v, address := s.visitor(), fresh("v")
		flow := v.signUp(address, good)
		code, done := v.mail.next(address).code(t), make(chan *answer, 1)
		go func() { done <- v.verify(flow, code) }()
		if name == "silence" {
			<-waiting
			s.signedIn()
		}
		(<-done).refused(503, "signup.unasked")
	}
	v, address := apart.visitor(), fresh("v")
	flow := v.signUp(address, good)
	v.verify(flow, v.mail.next(address).code(t)).refused(503, "signup.unasked")
	if reached.Load() != 0 || apart.people() != 0 {
		t.Errorf("the server inside was reached %d times", reached.Load())
	}

	g.says(`{"allow": false, "text": "\u202e<script>alert(1)</script>{wait} &amp;"}`)
	const said = `<script>alert(1)</script>{wait} &amp;`
	v, address = s.visitor(), fresh("v")
	flow = v.signUp(address, good)
	page := v.form("/auth/verify-code?flow="+flow, url.Values{"flow": {flow}, "code": {v.mail.next(address).code(t)}})
	if page.status != 403 || strings.Contains(page.body, "<script>alert") || !strings.Contains(html.UnescapeString(page.body), said) {
		t.Errorf("%d %s", page.status, page.body)
	}
}

// The words of an app about a sign-up with a provider are for the browser whose sign-up it was.
func TestSEC427_WordsAfterAProvider(t *testing.T) {
	announce(t)
	t.Parallel()
	g, asks := asksApp(t)
	s, p := startWithIDP(t, true, asks)
	g.says(`{"allow": false, "text": "Ask Ada for a seat."}`)
	v, address := s.visitor(), fresh("v")
	p.says(object{"sub": fresh("s"), "email": address, "email_verified": true})
	var to string
	s.unchanged("a refusal", func() { to = v.continueWith(p) }, "throttle", "audit", "flow")
	if page := v.get(to).must(200); !strings.Contains(page.body, "Ask Ada for a seat.") {
		t.Errorf("%s says nothing: %s", to, page.body)
	}
	if page := s.visitor().get(to).must(200); strings.Contains(page.body, "Ask Ada") || strings.Contains(page.body, "{text}") {
		t.Errorf("another browser reads %s", page.body)
	}
	if s.people() != 0 || s.identities() != 0 || len(g.about()) != 1 {
		t.Errorf("%d accounts, %d identities", s.people(), s.identities())
	}
	g.says(`{"allow": true}`)
	if v.continueWith(p); v.whoami() != address {
		t.Errorf("signed in as %q", v.whoami())
	}
}

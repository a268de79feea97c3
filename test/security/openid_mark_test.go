package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
)

// withNewProofs adds a client whose rules want a new sign-in, and one that also asks its users.
func withNewProofs(c *config.Config) {
	scopes := []string{"openid", "email"}
	for _, id := range []string{"recent", "asking"} {
		c.Clients = append(c.Clients, config.Client{ID: id, IDTokenAlg: "ES256", Secret: rpSecret, RedirectURIs: []string{rpBack}, Scopes: scopes, PKCE: true, Rules: []string{"signed-in+fresh:1m"}, Consent: id == "asking"})
	}
}

// demands are requests that want a new sign-in, by the rules of the client or by their own words.
func demands() map[string]url.Values {
	return map[string]url.Values{
		"fresh:1m": codeRequest("client_id", "recent"), "prompt=login": codeRequest("prompt", "login"), "max_age=0": codeRequest("max_age", "0"),
		"acr_values=2": codeRequest("acr_values", "2", "prompt", "login"),
	}
}

// sentFor opens a request, and returns the address to which the sign-in page leads back.
func (v *visitor) sentFor(q url.Values) string {
	v.Helper()
	a := v.authorize(q)
	to := query(v.T, a.header.Get("Location"))
	if !strings.HasPrefix(a.header.Get("Location"), "/auth/signin?") || markOf(a) == "" {
		v.Fatalf("the browser is not sent to the sign-in page: %d %s", a.status, a.header.Get("Location"))
	}
	return to.Get("return_to")
}

// isAsked expects that an address leads to the sign-in page, and to no code.
func (v *visitor) isAsked(what, address string) {
	v.Helper()
	if a := v.get(address); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/signin?") {
		v.Errorf("%s: %d %s", what, a.status, a.header.Get("Location"))
	}
}

func (v *visitor) getsCode(what, address string) {
	v.Helper()
	if a := v.get(address); a.sentBack(rpBack).Get("code") == "" {
		v.Errorf("%s: no code, but %d %s", what, a.status, a.header.Get("Location"))
	}
}

func TestSEC340_KeptMark(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withNewProofs)
	for name, q := range demands() {
		t.Run(name, func(t *testing.T) {
			address := fresh("v")
			victim := s.visitor().register(address)
			mallory := s.visitor().register(fresh("m"))
			s.clock.Advance(65 * time.Second)

			// An address of another browser, and with another account.
			kept := mallory.sentFor(q)
			answered := mallory.signInTo(mallory.whoami(), kept)
			thief := s.visitor()
			thief.signIn(address, good).must(200)
			s.clock.Advance(65 * time.Second)
			for _, v := range []*visitor{victim, thief, s.with(victim.cookie("session"))} {
				v.isAsked("the address of another browser", kept)
				v.isAsked("the address of a sign-in in another browser", answered)
			}

			// An address that was never finished, after a sign-in elsewhere in this browser.
			kept = victim.sentFor(q)
			victim.signIn(address, good).must(200)
			s.clock.Advance(65 * time.Second)
			victim.isAsked("an address that was never finished", kept)
			s.clock.Advance(50 * time.Minute)
			victim.signIn(address, good).must(200)
			s.clock.Advance(65 * time.Second)
			victim.isAsked("an address that was never finished, after 50 minutes", kept)

			// The history of the browser, after use.
			kept = victim.sentFor(q)
			answered = victim.signInTo(address, kept)
			s.clock.Advance(5 * time.Minute) // a slow user
			victim.getsCode("after a new sign-in", answered)
			for _, old := range []string{kept, answered} {
				victim.isAsked("an address that was used", old)
			}
			s.restart()
			for _, v := range []*visitor{victim, mallory, thief} {
				v.on(s).isAsked("an address that was used, later", answered)
			}
			victim = victim.on(s)

			// A sign-in that answers, and is not used.
			answered = victim.signInTo(address, victim.sentFor(q))
			s.clock.Advance(11 * time.Minute)
			victim.isAsked("an address that was answered long ago", answered)
			answered = victim.signInTo(address, victim.sentFor(q))
			victim.signIn(address, good).must(200)
			s.clock.Advance(65 * time.Second)
			victim.isAsked("an address that another session has answered", answered)
			query := strings.TrimPrefix(victim.signInTo(address, victim.sentFor(q)), "/auth/openid/authorize?")
			s.clock.Advance(65 * time.Second)
			victim.isAsked("a mark at another request", "/auth/openid/authorize?x=y&"+query)
			victim.isAsked("a mark at a request with one more parameter", strings.Replace("/auth/openid/authorize?"+query, "&portico_mark", "&x=y&portico_mark", 1))
			victim.getsCode("the request itself", "/auth/openid/authorize?"+query)
		})
	}
}

// A mark is of one browser, also where it proves no sign-in.
func TestSEC340_MarkOfAnotherBrowser(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	victim, mallory := s.visitor().register(address), s.visitor()
	victim.isAsked("which account", mallory.sentFor(codeRequest("prompt", "select_account")))
	kept := mallory.sentFor(url.Values{"client_id": {"rp"}, "request_uri": {s.pushes()}})
	s.clock.Advance(61 * time.Second)
	if a := victim.get(victim.signInTo(address, kept)); a.status != 422 || a.header.Get("Location") != "" {
		t.Errorf("a pushed request that another browser has begun: %d %s", a.status, a.header.Get("Location"))
	}
	answered := victim.signInTo(address, victim.sentFor(codeRequest("prompt", "login")))
	s.with(victim.cookie("session")).isAsked("the session in another browser", answered)
}

// A user may read a consent page for longer than a rule lets a sign-in count, and not for ever.
func TestSEC340_SlowReader(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withNewProofs)
	address := fresh("v")
	v := s.visitor().register(address)
	for _, prompt := range []string{"consent", "login consent"} {
		shown := func() (answers func(word string) *answer, page string) {
			s.clock.Advance(2 * time.Minute)
			page = v.signInTo(address, v.sentFor(codeRequest("client_id", "asking", "prompt", prompt)))
			if a := v.get(page); a.status != 200 || !strings.Contains(a.body, "portico_mark") {
				t.Fatalf("the user is not asked: %d %s", a.status, a.header.Get("Location"))
			}
			_, request, _ := strings.Cut(page, "?")
			return func(word string) *answer {
				return v.form("/auth/openid/consent", url.Values{"account": {v.id()}, "request": {request}, "scopes": {"openid email"}, "answer": {word}})
			}, page
		}
		answers, page := shown()
		s.clock.Advance(9 * time.Minute)
		if a := answers("allow"); a.sentBack(rpBack).Get("code") == "" {
			t.Errorf("after nine minutes: %d %s", a.status, a.header.Get("Location"))
		}
		v.isAsked("the page, after the code", page)
		if a := answers("allow"); a.sentBack(rpBack) != nil {
			t.Errorf("the same answer again: %s", a.header.Get("Location"))
		}
		answers, _ = shown()
		s.clock.Advance(11 * time.Minute)
		if a := answers("allow"); a.sentBack(rpBack) != nil {
			t.Errorf("after eleven minutes: %s", a.header.Get("Location"))
		}
		answers, page = shown()
		if a := answers("deny"); a.sentBack(rpBack).Get("error") != "access_denied" {
			t.Errorf("a refusal: %d %s", a.status, a.header.Get("Location"))
		}
		s.clock.Advance(65 * time.Second)
		v.isAsked("the page, after a refusal", page)
	}
}

// Two requests with one mark at the same moment give one code.
func TestSEC340_MarkAtTheSameMoment(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withNewProofs)
	address := fresh("v")
	v := s.visitor().register(address)
	for range rounds(3, 30) {
		to := v.signInTo(address, v.sentFor(codeRequest("prompt", "login")))
		if won := race(20, func() bool { return v.copied().get(to).sentBack(rpBack).Get("code") != "" }); won != 1 {
			t.Fatalf("one mark gave %d codes", won)
		}
	}
}

// A provider that signs its user in without a question gives no new proof, also when the visitor
// takes the demand for one out of the form.
func TestSEC340_SilentProvider(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true, withNewProofs)
	for name, q := range demands() {
		claims := object{"sub": fresh("s"), "email": fresh("v"), "email_verified": true, "auth_time": s.clock.Now().Unix()}
		v := s.visitor()
		v.continueWith(p.says(claims))
		s.clock.Advance(2 * time.Minute)
		kept := v.sentFor(q)
		back := v.callback("acme", p.approve(v.leave("acme", url.Values{"return_to": {kept}}))).must(303).header.Get("Location")
		v.isAsked(name+": an old sign-in at the provider", back)
		delete(claims, "auth_time")
		v.callback("acme", p.approve(v.leave("acme", url.Values{"return_to": {kept}}))).must(303)
		v.isAsked(name+": a provider that tells no time", kept)
		claims["auth_time"] = s.clock.Now().Unix()
		back = v.callback("acme", p.approve(v.leave("acme", url.Values{"return_to": {v.sentFor(q)}, "again": {"1"}}))).must(303).header.Get("Location")
		v.getsCode(name+": a new sign-in at the provider", back)
	}
}

// Every way to a session answers a request that wants a new sign-in, whatever pages come between.
func TestSEC340_EveryWayAnswers(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withNewProofs, byCode)
	q := codeRequest("client_id", "recent", "prompt", "login")
	address := fresh("v")
	v := s.visitor().register(address)
	at := func(what, next string) { t.Helper(); s.clock.Advance(2 * time.Minute); v.getsCode(what, next) }
	proven := func(operation, address string, more object) string {
		t.Helper()
		body := object{"email": address, "return_to": v.sentFor(q)}
		for name, value := range more {
			body[name] = value
		}
		flow := v.post(operation, body).flow()
		return v.verify(flow, v.mail.next(address).code(t)).next()
	}
	at("by an emailed code", proven("signin-code", address, nil))
	next := proven("forgot-password", address, nil)
	at("by a recovery", v.reset(query(t, next).Get("flow"), other).next())
	at("by a sign-up", proven("signup", fresh("v"), object{"password": good, "confirm_password": good}))

	v = s.visitor().register(fresh("v"))
	older := s.visitor()
	older.signIn(v.whoami(), good).must(200)
	phone := v.enrol()
	begun := func() string {
		return v.post("signin", object{"email": phone.address, "password": good, "return_to": v.sentFor(q)}).flow()
	}
	at("by a second factor", v.give(begun(), phone.code()).next())
	for _, code := range phone.codes {
		next = v.giveRecovery(begun(), code).next()
		if page, rest, _ := strings.Cut(next, "?return_to="); page == "/auth/account/factors" {
			next, _ = url.QueryUnescape(rest)
		}
		at("by a recovery code", next)
	}
	// The session gives a second factor for a request that was pushed, later than such a request begins.
	name := s.pushes("claims", `{"id_token":{"acr":{"essential":true,"values":["2"]}}}`)
	to := query(t, older.pulls(name).header.Get("Location")).Get("return_to")
	next = older.post("mfa", object{"code": phone.code(), "return_to": to}).next()
	s.clock.Advance(2 * time.Minute)
	older.getsCode("after a step-up", next)
}

package security

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
)

// An app page asks for a new sign-in. The browser is still signed in at the
// provider, which answers without a question. That must not open the page.
func TestSEC250_SilentProviderSignInIsNotFresh(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s, p := startWithIDP(t, true, protects(app, "fresh:1m /admin/*", "signed-in /*"))
	v := s.visitor()
	claims := object{"email": fresh("n"), "email_verified": true}
	v.continueWith(p.says(claims))
	at := func(ago time.Duration) int64 { return s.clock.Now().Add(-ago).Unix() }
	for name, authTime := range map[string]any{
		"a day ago": at(24 * time.Hour), "two minutes ago": at(2 * time.Minute), "not told": nil, "a text": "1", "a boolean": true,
		"in the future": at(-time.Hour), "milliseconds": s.clock.Now().UnixMilli(), "negative": -1, "zero": 0, "null in a list": []any{nil},
	} {
		claims["auth_time"] = authTime
		v.continueWith(p.says(claims))
		if v.whoami() == "" {
			t.Errorf("%s: nobody is signed in", name)
		}
		if a := v.get("/admin/users"); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/signin?again=1") {
			t.Errorf("auth_time %s: the page gets status %d to %q", name, a.status, a.header.Get("Location"))
		}
		// The same with the page's own button. It must not confirm the page,
		// and the browser must not be redirected in a circle.
		session := v.cookie("session")
		again := url.Values{"again": {"1"}, "return_to": {"/admin/users"}}
		request := v.leave("acme", again)
		if request.Get("prompt") != "login" || request.Get("max_age") != "0" {
			t.Errorf("the provider is asked for %v", request)
		}
		end := v.callback("acme", p.approve(request)).must(303).header.Get("Location")
		if !strings.Contains(end, "failed=provider.no_proof") || !strings.Contains(end, "again=1") || v.cookie("session") != session {
			t.Errorf("auth_time %s: asked for a new proof, the browser is sent to %s", name, end)
		}
	}
	// An app is told 1970 as the time of a sign-in whose time is not known, so
	// that it never counts as new.
	delete(claims, "auth_time")
	v.continueWith(p.says(claims))
	var current struct {
		Session struct {
			AuthenticatedAt time.Time `json:"authenticated_at"`
		} `json:"session"`
	}
	v.get("/auth/api/session").must(200).parse(&current)
	told := v.get("/anything").echoed()
	age := told.Header.Get("X-Portico-Session-Age")
	if age != strconv.FormatInt(s.clock.Now().Unix(), 10) || current.Session.AuthenticatedAt.Unix() != 0 {
		t.Errorf("apps are told %q and %v", age, current.Session.AuthenticatedAt)
	}
	if token := payloadOf(t, told.Header.Get("X-Portico-Token")); !strings.Contains(token, `"auth_time":0,`) {
		t.Errorf("the token says %s", token)
	}

	// A sign-in after the question opens the page.
	claims["auth_time"] = at(0)
	p.says(claims)
	request := v.leave("acme", url.Values{"again": {"1"}, "return_to": {"/admin/users"}})
	if end := v.callback("acme", p.approve(request)).must(303).header.Get("Location"); end != "/admin/users" {
		t.Errorf("a new proof leads to %s", end)
	}
	v.get("/admin/users").must(200)
}

// A forged callback, or a link to the error page, must show no words of its
// author. It must make no claim about an account and sign no user out.
func TestSEC251_ForgedCallbacksSayNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s, _ := startWithIDP(t, true)
	v := s.staff()
	who, session := v.whoami(), v.cookie("session")
	const words = "Call-0900-1234"
	var ends []string
	for _, query := range []string{
		"error=access_denied&error_description=" + words + "&state=" + flowID, "error=" + words, "code=" + words + "&state=" + words,
		"error=access_denied&error_uri=https://" + words + ".test", "iss=https://" + words + ".test&code=x",
	} {
		for _, provider := range []string{"acme", words} {
			a := v.get("/auth/provider/" + provider + "/callback?" + query).must(303)
			if len(a.header["Set-Cookie"]) != 0 {
				t.Errorf("%s sets %v", query, a.header["Set-Cookie"])
			}
			ends = append(ends, a.header.Get("Location"))
		}
	}
	for _, code := range []string{words, "provider.cancelled", "account.disabled", "signup.closed", "provider.address_taken"} {
		ends = append(ends, "/auth/signin?failed="+code+"&provider="+words+"&attempt="+flowID+"&return_to=https://"+words+".test")
	}
	for _, end := range ends {
		a := v.get(end).must(200)
		if strings.Contains(a.body, words) || strings.Contains(a.body, "turned off") || strings.Contains(a.body, "can't be created") || strings.Contains(a.body, "already an account") {
			t.Errorf("%s shows %s", end, a.body)
		}
	}
	if v.whoami() != who || v.cookie("session") != session {
		t.Error("a forged callback signs out")
	}
}

// An attacker puts in an ID token that belongs to another access token or
// another code. It must be refused.
func TestSEC252_TokensOfAnotherAnswer(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	for _, name := range []string{"at_hash", "c_hash"} {
		v := s.visitor()
		end := v.continueWith(p.says(object{
			"sub": fresh("s"), "email": fresh("n"), "email_verified": true, name: base64.RawURLEncoding.EncodeToString(make([]byte, 16)),
		}))
		if v.whoami() != "" || !strings.Contains(end, "provider.rejected") {
			t.Errorf("a wrong %s: signed in as %q, sent to %s", name, v.whoami(), end)
		}
	}
}

// A provider changes its keys under the same key id. Its users still sign in,
// and tokens of the old key are refused.
func TestSEC253_KeysChangedUnderTheirID(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	claims := func() object { return object{"sub": fresh("s"), "email": fresh("n"), "email_verified": true} }
	if v := s.visitor(); v.continueWith(p.says(claims())) == "" || v.whoami() == "" {
		t.Fatal("the first key does not sign in")
	}
	old := p.key
	p.mu.Lock()
	p.key = newIDP(t).key
	p.mu.Unlock()
	v := s.visitor()
	if end := v.continueWith(p.says(claims())); v.whoami() == "" {
		t.Fatalf("the new key under the old id does not sign in: %s", end)
	}
	p.mu.Lock()
	p.signer = old
	asked := p.askedKeys
	p.mu.Unlock()
	for range 5 {
		v := s.visitor()
		if end := v.continueWith(p.says(claims())); v.whoami() != "" || !strings.Contains(end, "provider.rejected") {
			t.Errorf("the old key signs in, sent to %s", end)
		}
	}
	if p.askedKeys > asked+1 {
		t.Errorf("five bad tokens cause %d requests for keys", p.askedKeys-asked)
	}
}

// A closed or deleted account stays so when its user comes from the provider.
func TestSEC254_FreshnessOfAClosedAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	address := fresh("v")
	v := s.visitor()
	v.continueWith(p.says(object{"email": address, "email_verified": true}))
	request := v.leave("acme", url.Values{"again": {"1"}})
	s.disable(address)
	p.says(object{"email": address, "email_verified": true, "auth_time": s.clock.Now().Unix()})
	if end := v.callback("acme", p.approve(request)).must(303).header.Get("Location"); v.whoami() != "" || !strings.Contains(end, account.CodeDisabled) {
		t.Errorf("signed in as %q, sent to %s", v.whoami(), end)
	}
}

// A rule asks for a second factor. Neither a session with a password alone, nor an
// old second factor, nor a reset of the password opens the page.
func TestSEC242_APasswordAloneIsNoSecondFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "mfa /vault/*", "mfa+fresh:10m /keys/*", "signed-in /*"))
	v := s.visitor().register(fresh("m"))
	refused := func(about string, who *visitor, page string) {
		t.Helper()
		want := "/auth/mfa?return_to=" + url.QueryEscape(page)
		if a := who.get(page); a.status != 303 || a.header.Get("Location") != want {
			t.Errorf("%s: %s gets status %d to %q, want %s", about, page, a.status, a.header.Get("Location"), want)
		}
		script := who.do("POST", page, "{}", who.ours("application/json"))
		if script.status != 401 || !strings.Contains(script.body, `"code":"rule.mfa"`) || !strings.Contains(script.body, `"signin_url":"`+s.origin+`/auth/mfa"`) {
			t.Errorf("%s: a script at %s gets %d %s", about, page, script.status, script.body)
		}
	}
	passes := func(about string, who *visitor, page string) {
		t.Helper()
		if a := who.get(page); a.status != 200 {
			t.Errorf("%s: %s gets status %d to %q", about, page, a.status, a.header.Get("Location"))
		}
	}
	refused("an account without a factor", v, "/vault/x")
	if next := v.get("/auth/mfa?return_to=%2Fvault%2Fx").must(303).header.Get("Location"); next != "/auth/account/factors?return_to=%2Fvault%2Fx" {
		t.Errorf("an account without a factor is led to %s", next)
	}
	older := s.visitor()
	older.signIn(v.whoami(), good).must(200)
	p := v.enrol()
	passes("after the enrolment", v, "/vault/x")
	passes("after the enrolment", v, "/keys/x")
	refused("a session from before the enrolment", older, "/vault/x")
	older.post("mfa", object{"code": p.code(), "return_to": "/vault/x"}).must(200)
	passes("after the step", older, "/vault/x")

	s.clock.Advance(10 * time.Minute)
	passes("an old factor", older, "/vault/x")
	refused("an old factor", older, "/keys/x")
	older.post("mfa", object{"code": p.code(), "return_to": "/keys/x"}).must(200)
	passes("after the step", older, "/keys/x")
	if n := len(app.asked()); n != 5 {
		t.Errorf("the app got %d requests, want the five that may pass", n)
	}
}

package screens_test

import (
	"database/sql"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/server/screens"
)

// Other spellings of a screen's path redirect to it.
func TestSpellings(t *testing.T) {
	t.Parallel()
	_, member := person(t)
	for path, want := range map[string]string{
		"/auth": "/auth/signin", "/auth/": "/auth/signin", "/auth?return_to=/a": "/auth/signin?return_to=/a",
		"/auth/signup/?return_to=%2Fa&x": "/auth/signup?return_to=%2Fa&x", "/auth/verify-code/?flow=x": "/auth/verify-code?flow=x",
		"/auth/account/password/": "/auth/account/password", "/auth/account/": "/auth/account",
	} {
		if p := member.Open(path); p.StatusCode != http.StatusPermanentRedirect || p.Next() != want {
			t.Errorf("%s: %d to %q, want %q", path, p.StatusCode, p.Next(), want)
		}
	}
	for _, path := range []string{"/auth/nothing/", "/auth/api/", "/auth/error/", "/auth/account-password/", "/auth/account/nothing/"} {
		if p := member.Open(path); p.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, p.StatusCode)
		}
	}
}

// Every screen is a document with the headers of all pages, in the locale that
// the browser prefers.
func TestDocuments(t *testing.T) {
	t.Parallel()
	_, member := person(t)
	for path, tt := range map[string]struct {
		screen string
		status int
	}{
		"/auth/signin":                  {"signin", 200},
		"/auth/signup":                  {"signup", 200},
		"/auth/forgot-password":         {"forgot-password", 200},
		"/auth/verify-code":             {"verify-code", 200},
		"/auth/verify-code?flow=x":      {"error", 404},
		"/auth/confirm-link":            {"confirm-link", 422},
		"/auth/account":                 {"account", 200},
		"/auth/account/password":        {"account-password", 200},
		"/auth/account/factors":         {"account-factors", 200},
		"/auth/account/passkeys":        {"account-passkeys", 200},
		"/auth/account/passkeys/offer":  {"new-passkey", 200},
		"/auth/mfa?flow=x":              {"error", 404},
		"/auth/terms?flow=x":            {"error", 404},
		"/auth/account/history":         {"account-history", 200},
		"/auth/account/profile":         {"account-profile", 200},
		"/auth/account/addresses":       {"account-addresses", 200},
		"/auth/not-me":                  {"not-me", 410},
		"/auth/account/apps":            {"account-apps", 200},
		"/auth/account/data":            {"account-data", 200},
		"/auth/account/providers":       {"account-providers", 200},
		"/auth/account/browsers":        {"account-browsers", 200},
		"/auth/account/tokens":          {"account-tokens", 200},
		"/auth/account/delete":          {"account-delete", 200},
		"/auth/keep?flow=x":             {"error", 404},
		"/auth/protect?flow=x":          {"error", 404},
		"/auth/error?code=anything":     {"error", 404},
		"/auth/error?code=flow.unknown": {"error", 404},
		"/auth/nothing":                 {"error", 404},
		"/auth/assets/nothing.js":       {"error", 404},
	} {
		for _, loc := range []string{"en", "de"} {
			member.Header.Set("Accept-Language", loc)
			p := member.Open(path)
			b := member.reads(p)
			if p.StatusCode != tt.status || b.Screen != tt.screen || b.Locale != loc || p.Header.Get("Content-Language") != loc {
				t.Errorf("%s in %s: %d %s in %s, want %d %s", path, loc, p.StatusCode, b.Screen, b.Locale, tt.status, tt.screen)
			}
			policy := p.Header.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self';", "require-trusted-types-for 'script'"} {
				if !strings.Contains(policy, part) {
					t.Errorf("%s: the policy lacks %s: %s", path, part, policy)
				}
			}
			if p.Header.Get("Cache-Control") != "no-store" || p.Header.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
				t.Errorf("%s: the headers are %v", path, p.Header)
			}
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	s, member := person(t)
	nobody := visit(s)
	nobody.leads(nobody.Open("/"), "/auth/signin")
	nobody.leads(nobody.Open("/auth/account"), toAccount)
	nobody.leads(nobody.Open("/.well-known/change-password"), "/auth/account/password")
	nobody.leads(nobody.Open("/auth/account/password"), "/auth/signin?return_to=%2Fauth%2Faccount%2Fpassword")
	nobody.leads(nobody.Open("/auth/confirm-link?token=x"), "/auth/confirm-link")
	member.leads(member.Open("/auth/signed-out"), "/auth/account")
	p := nobody.Open("/auth/reset-password?flow=x")
	if p.StatusCode != 303 || !strings.HasPrefix(p.Next(), "/auth/error?code=flow.unknown") {
		t.Errorf("a step without a flow leads to %q", p.Next())
	}
}

// The document with the errors keeps typed values, except passwords, and the
// return target.
func TestForms_RefusedWithoutScript(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	const typed = `"><b>not an address`
	for name, tt := range map[string]struct {
		form   url.Values
		status int
		check  func(e screens.Errors) bool
	}{
		"signin": {url.Values{"email": {typed}, "password": {"hunter2 hunter2"}}, 422, func(e screens.Errors) bool {
			return e.Fields.Email != "" && e.Fields.Password == ""
		}},
		"signup": {url.Values{"email": {typed}, "password": {"hunter2 hunter2"}, "confirm_password": {"another"}}, 422, func(e screens.Errors) bool {
			return e.Fields.Email != "" && e.Fields.Confirm != ""
		}},
		"forgot-password": {url.Values{"email": {typed}}, 422, func(e screens.Errors) bool { return e.Fields.Email != "" }},
	} {
		v := visit(s)
		tt.form.Set("return_to", "/reports")
		p := v.Send("/auth/"+name, tt.form)
		b := v.reads(p)
		if p.StatusCode != tt.status || b.Screen != name || b.Values.Email != typed || b.ReturnTo != "/reports" || !tt.check(b.Errors) {
			t.Errorf("%s: %d %+v %+v", name, p.StatusCode, b.Values, b.Errors)
		}
		if !strings.Contains(p.Body, `value="&#34;&gt;&lt;b&gt;not an address"`) || strings.Contains(p.Body, "<b>") || strings.Contains(p.Body, "hunter2") {
			t.Errorf("%s: typed values are missing, or are markup: %s", name, p.Body)
		}
	}
	v := visit(s)
	b := v.reads(v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {"a wrong one"}, "return_to": {"https://evil.test"}}))
	if b.Status != 401 || b.Errors.Code != "signin.rejected" || b.Errors.Form == "" || b.Values.Email != "mara@example.org" || b.ReturnTo != "" {
		t.Errorf("a wrong password: %+v", b)
	}
}

// The return target survives every step.
func TestForms_KeepTheTarget(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, func(c *config.Config) { c.ReturnOrigins = []string{"https://app.test"} })
	s.Person("mara@example.org")
	for _, target := range []string{"/reports?page=2", "https://app.test/here"} {
		v := visit(s)
		if b := v.opens("/auth/signin?return_to=" + url.QueryEscape(target)); b.ReturnTo != target {
			t.Errorf("the form goes to %q, want %q", b.ReturnTo, target)
		}
		v.leads(v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {target}}), target)
		if b := v.opens("/auth/signin?return_to=" + url.QueryEscape(target)); b.Next != target || b.Session.Email != "mara@example.org" {
			t.Errorf("a signed-in user may continue to %q, want %q", b.Next, target)
		}
	}
	v := visit(s)
	for _, evil := range []string{"https://evil.test", "//evil.test", "javascript:alert(1)", `/\evil.test`} {
		if b := v.opens("/auth/signin?return_to=" + url.QueryEscape(evil)); b.ReturnTo != "" {
			t.Errorf("%q is kept as %q", evil, b.ReturnTo)
		}
	}
}

// Anybody can create a link: the page shows known codes only, and no text from
// the link.
func TestErrorPage_RepeatsNothing(t *testing.T) {
	t.Parallel()
	v := visit(apptest.Start(t))
	p := v.Open("/auth/error?code=flow.unknown&provider=%3Cb%3EYour+bank&request=call+0123&return_to=https%3A%2F%2Fevil.test")
	b := v.reads(p)
	for _, foreign := range []string{"bank", "0123", "evil"} {
		if strings.Contains(p.Body, foreign) {
			t.Errorf("the page repeats %q: %s", foreign, p.Body)
		}
	}
	if b.Status != 404 || b.Next != "/auth/signin" || b.Detail == "" || b.Errors.RequestID == "" {
		t.Errorf("the page is %+v", b)
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	v := visit(apptest.Start(t))
	v.Header.Set("Accept-Encoding", "br")
	p := v.Open("/auth/assets/app.js")
	if p.StatusCode != 200 || p.Header.Get("Content-Encoding") != "br" || p.Body != "shorter" ||
		!strings.Contains(p.Header.Get("Cache-Control"), "immutable") || p.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%d %v %q", p.StatusCode, p.Header, p.Body)
	}
	v.Header.Set("Accept-Encoding", "identity")
	if p := v.Open("/auth/assets/app.js"); p.Body != "run();run();run()" || p.Header.Get("Content-Encoding") != "" {
		t.Errorf("uncompressed: %v %q", p.Header, p.Body)
	}
	p = v.Open("/auth/assets/reauthenticate.js")
	if p.Header.Get("Cache-Control") != "public, max-age=300" || p.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("the script for apps, which keeps its name: %v", p.Header)
	}
	for _, name := range []string{"secret.map", "app.js.br", "..%5capp.js"} {
		if p := v.Open("/auth/assets/" + name); p.StatusCode < http.StatusBadRequest {
			t.Errorf("%s got status %d", name, p.StatusCode)
		}
	}
}

// If the store fails, the error page shows the request id, and no session ends.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	s.Sessions.Forget(v.opens("/auth/account").Session.ID)
	db, err := sql.Open("sqlite3", "file:"+strings.TrimPrefix(s.Config.DatabaseURL, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DROP TABLE session"); err != nil {
		t.Fatal(err)
	}
	if p := v.Open("/auth/api/session"); p.StatusCode < 500 || v.Cookie("session") == "" {
		t.Errorf("an app got status %d, the cookie is %q", p.StatusCode, v.Cookie("session"))
	}
	for _, path := range []string{"/auth/account", "/auth/signin"} {
		p := v.Open(path)
		if b := v.reads(p); p.StatusCode < 500 || b.Screen != "error" || b.Errors.RequestID == "" || v.Cookie("session") == "" {
			t.Errorf("%s: %d %+v, with the cookie %q", path, p.StatusCode, b, v.Cookie("session"))
		}
	}
}

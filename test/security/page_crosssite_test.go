package security

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/server/screens"
)

var assetIn = regexp.MustCompile(`/auth/assets/[\w.-]+\.js`)

func TestSEC083_LoginCSRF(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	attacker := fresh("attacker")
	s.operator(attacker, good)
	a := s.visitor()
	flow := a.forgot(attacker)
	code := s.mail.next(attacker).code(t)
	_, app := s.protected()
	pending, step := app.pending()
	_, key := s.holder()
	holder := s.visitor()
	entry := parts(key.Use(holder.ask()))
	bodies := map[string]string{
		"/auth/signin":                    url.Values{"email": {attacker}, "password": {good}}.Encode(),
		"/auth/signup":                    url.Values{"email": {fresh("n")}, "password": {good}, "confirm_password": {good}}.Encode(),
		"/auth/verify-code":               url.Values{"flow": {flow}, "code": {code}}.Encode(),
		"/auth/reset-password":            url.Values{"flow": {flow}, "password": {other}, "confirm_password": {other}}.Encode(),
		"/auth/mfa":                       url.Values{"flow": {step}, "code": {app.code()}}.Encode(),
		"/auth/signin-code":               url.Values{"email": {attacker}}.Encode(),
		"/auth/terms":                     url.Values{"flow": {step}}.Encode(),
		"/auth/protect":                   url.Values{"flow": {step}, "code": {app.code()}}.Encode(),
		"/auth/keep":                      url.Values{"flow": {flow}}.Encode(),
		"/auth/confirm-link":              "",
		"/auth/signout":                   "",
		"/auth/api/signin":                encode(object{"email": attacker, "password": good}),
		"/auth/api/verify-code":           encode(object{"flow": flow, "code": code}),
		"/auth/api/mfa":                   encode(object{"flow": step, "code": app.code()}),
		"/auth/api/passkey/ask":           "{}",
		"/auth/api/passkey":               encode(entry),
		"/auth/api/signup/passkey/begin":  encode(object{"flow": flow}),
		"/auth/api/signup/passkey":        encode(object{"flow": flow, "credential": "AA"}),
		"/auth/api/protect/passkey/begin": encode(object{"flow": step}),
		"/auth/api/protect/passkey":       encode(object{"flow": step, "credential": "AA"}),
		"/auth/provider/acme/start":       "",
	}
	sites := map[string]http.Header{
		"a foreign page":        {"Origin": {"https://evil.test"}, "Sec-Fetch-Site": {"cross-site"}},
		"a sandboxed frame":     {"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
		"without Origin":        {"Sec-Fetch-Site": {"cross-site"}},
		"a sibling":             {"Origin": {"https://sub.portico.test"}, "Sec-Fetch-Site": {"same-site"}},
		"the same name by http": {"Origin": {"http://portico.test"}},
		"an old browser":        {"Referer": {"https://evil.test/"}},
	}
	for name, h := range sites {
		for _, contentType := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"} {
			h := h.Clone()
			h.Set("Content-Type", contentType)
			for target, body := range bodies {
				got := s.visitor().do("POST", target, body, h)
				if got.status != 403 || len(got.header["Set-Cookie"]) > 0 {
					t.Errorf("%s from %s as %s gets status %d, cookies %v", target, name, contentType, got.status, got.header["Set-Cookie"])
				}
			}
			// A provider answers from its own origin, so the callback is open to other sites. There the
			// browser that has left for the provider decides.
			answer := p.says(object{"email": fresh("n"), "email_verified": true}).approve(s.visitor().leave("acme", nil))
			v := s.visitor()
			v.leave("acme", nil) // this browser has begun a sign-in of its own
			const callback = "/auth/provider/acme/callback"
			sent := v.do("POST", callback, answer.Encode(), h).keep()
			if to := sent.header.Get("Location"); strings.HasPrefix(to, callback) {
				v.get(to)
			}
			if v.whoami() != "" || v.cookie("session") != "" {
				t.Errorf("the callback from %s as %s signs in as %q", name, contentType, v.whoami())
			}
		}
	}
	a.verify(flow, code).must(200) // no request has used the code, or what comes below
	pending.give(step, app.code()).must(200)
	holder.post("passkey", entry).must(200)
}

func TestSEC086_NoForeignOriginMayRead(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for pattern, r := range routes() {
		method, target := path(pattern)
		if public(pattern) {
			continue
		}
		for _, origin := range []string{
			"https://evil.test", "null", "https://portico.test.evil", "https://evilportico.test", "http://portico.test", "https://sub.portico.test", "file://",
		} {
			preflight := v.do("OPTIONS", target, "", http.Header{
				"Origin": {origin}, "Access-Control-Request-Method": {method}, "Access-Control-Request-Headers": {"content-type,authorization"},
			})
			h := http.Header{"Origin": {origin}}
			if r.body != "" {
				h.Set("Content-Type", r.contentType(pattern))
			}
			if strings.Contains(pattern, "sign") && method == "POST" {
				h.Set("Content-Type", "text/plain")
			}
			for _, a := range []*answer{preflight, v.do(method, target, r.body, h)} {
				for name := range a.header {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s for %s: %s: %s", pattern, origin, name, a.header.Get(name))
					}
				}
			}
		}
	}
}

// polyglot leaves the context in which it is inserted, and calls a function if
// it runs.
const polyglot = `jaVasCript:/*-/*` + "`" + `/*\'/*"/**/(/* */oNcliCk=alert(1) )//</stYle/</titLe/</teXtarEa/</scRipt/--!>\x3csVg/<sVg/oNloAd=alert(1)//>'">{{alert(1)}}<!--`

// inert fails if a document repeats the payload other than as text.
func (a *answer) inert(what string) {
	a.Helper()
	lower := strings.ToLower(a.body)
	for _, live := range []string{"<svg/onload", "</script/--!>", "onload=alert(1)//>'\">", "{{alert(1)}}<!--", "</title/</textarea"} {
		if strings.Contains(lower, live) {
			a.Errorf("%s: the payload is part of the document: %q", what, live)
		}
	}
	if contentType := a.header.Get("Content-Type"); strings.Contains(contentType, "html") && !strings.Contains(a.header.Get("Content-Security-Policy"), "script-src 'self'") {
		a.Errorf("%s: the document has the policy %q", what, a.header.Get("Content-Security-Policy"))
	}
}

// TestSEC058 checks the same in a real browser.
func TestSEC087_NothingThatIsSentRuns(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t)
	v := s.visitor().register(fresh("v"))
	escaped := url.QueryEscape(polyglot)
	for _, page := range pages() {
		var query []string
		for _, name := range []string{
			"error", "error_description", "error_hint", "login_hint", "ui_locales", "state", "return_to", "email", "code", "flow", "token", "provider", "request", "theme", "lang",
		} {
			query = append(query, name+"="+escaped)
		}
		for _, w := range []*visitor{v, s.visitor()} {
			w.do("GET", page+"?"+strings.Join(query, "&"), "", http.Header{
				"Accept": {"text/html"}, "Accept-Language": {strings.Map(ascii, polyglot)}, "User-Agent": {strings.Map(ascii, polyglot)}, "Referer": {"https://x.test/" + escaped},
			}).inert(page)
		}
		w := s.visitor()
		w.do("GET", page+"/"+url.PathEscape(polyglot), "", http.Header{"Accept": {"text/html"}}).inert(page + "/...")
	}
	for target, fields := range map[string]url.Values{
		"/auth/signin":          {"email": {polyglot}, "password": {polyglot}, "return_to": {polyglot}, "flow": {polyglot}},
		"/auth/signup":          {"email": {polyglot}, "password": {polyglot}, "confirm_password": {"x"}, "return_to": {polyglot}},
		"/auth/forgot-password": {"email": {polyglot}, "return_to": {polyglot}},
		"/auth/verify-code":     {"flow": {polyglot}, "code": {polyglot}},
	} {
		a := v.form(target, fields)
		a.inert(target)
		want := 422
		if target == "/auth/verify-code" {
			want = 404 // there is no such flow
		}
		if a.status != want {
			t.Errorf("%s gets status %d", target, a.status)
		}
	}
	a := v.post("signin", object{polyglot: polyglot, "email": polyglot})
	if a.inert("an unknown field"); strings.Contains(a.body, "svg") {
		t.Errorf("the name of an unknown field is repeated: %s", a.body)
	}
}

// pages returns the path of every screen, and a path without a screen.
func pages() []string {
	paths := []string{"/auth/nowhere"}
	for _, name := range screens.Names() {
		paths = append(paths, pathOf(name))
	}
	return paths
}

// pathOf returns the path of a screen.
func pathOf(screen string) string {
	switch screen {
	case "new-passkey":
		return "/auth/account/passkeys/offer"
	case "consent":
		return "/auth/openid/authorize"
	case "sign-out":
		return "/auth/openid/logout"
	case "leaving":
		return "/auth/provider/google/start"
	}
	return "/auth/" + strings.Replace(screen, "account-", "account/", 1)
}

// A screen that is looked for at a wrong path escapes the attacks.
func TestSEC088_EveryScreenIsWhereItIsAttacked(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.visitor().get("/auth/signin") // once it serves, its routes are there
	mounted := s.mounted.patterns()
	for _, name := range screens.Names() {
		path := pathOf(name)
		if name != "leaving" && !slices.Contains(mounted, "GET "+path) { // the answer to a form
			t.Errorf("the screen %q is not at %s: say in pathOf where it is", name, path)
		}
	}
}

func ascii(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

// short is polyglot for a field of 100 characters.
const short = `</titLe/</teXtarEa/</scRipt/--!><sVg/oNloAd=alert(1)//>'">{{alert(1)}}<!--`

func TestSEC088_NothingThatIsStoredRuns(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t, brand(polyglot, ""), func(c *config.Config) { c.Clients[0].Name, c.Clients[0].Consent = polyglot, true })
	address := fresh("v")
	if _, err := s.app.Operator.CreateUser(t.Context(), flow.ByOperator, address, short, good); err != nil {
		t.Fatal(err)
	}
	v := s.visitor()
	v.header["User-Agent"] = []string{strings.Map(ascii, polyglot)}
	v.signIn(address, good).must(200)
	v.authorize(codeRequest()).inert("the page of the consent") // shows the client's name
	a, challenge := v.offered()
	v.add(a.Create(challenge)).must(200)
	var id string
	if err := s.database().QueryRow(`SELECT id FROM passkey`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	v.post("account/passkeys/rename", object{"account": v.id(), "id": id, "name": short}).must(200)
	for _, target := range append(pages(), "/auth/api/session", "/auth/api/sessions") {
		v.get(target).inert(target)
	}
	for _, page := range []string{"/auth/account/passkeys", "/auth/account/sessions", "/auth/account/profile"} {
		if !strings.Contains(v.get(page).must(200).body, "alert(1)") {
			t.Errorf("%s does not show the payload as text", page)
		}
	}
	s.settle()
	mails := s.mail.to(address)
	if len(mails) == 0 {
		t.Fatal("the owner gets no email")
	}
	for _, m := range mails {
		if _, html := m.bodies(t); strings.Contains(strings.ToLower(html), "<svg/onload") || strings.Contains(html, "</scRipt") {
			t.Errorf("an email has the payload: %s", html)
		}
	}
}

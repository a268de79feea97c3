package security

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/testform"
)

func TestSEC075_CookiesAreLockedDown(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor()
	var lines []string
	note := func(a *answer) *answer { lines = append(lines, a.header["Set-Cookie"]...); return a }
	flow := note(v.post("signup", object{"email": address, "password": good, "confirm_password": good})).flow()
	email := s.mail.next(address)
	note(v.do("GET", "/auth/confirm-link?token="+email.token(t), "", nil))
	note(v.verify(flow, email.code(t)))
	note(v.post("signout", object{}))
	note(s.with("malformed!").do("GET", "/auth/api/session", "", nil))
	if len(lines) < 5 {
		t.Fatalf("only %d cookies were set", len(lines))
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		value, attributes, _ := strings.Cut(value, ";")
		for _, want := range []string{"Path=/", "HttpOnly", "Secure", "SameSite=Lax"} {
			if !strings.Contains(attributes, want) {
				t.Errorf("%s lacks %s", line, want)
			}
		}
		if !strings.HasPrefix(name, "__Host-portico-") || strings.Contains(attributes, "Domain") || len(name)+len(value) > 4096 {
			t.Errorf("the cookie %s", line)
		}
		if strings.Contains(value, "@") || strings.Contains(value, "%") {
			t.Errorf("the cookie %s holds more than an opaque value", line)
		}
	}
	// In development, on a loopback name without TLS, the cookies are the same
	// without Secure.
	local := start(t, plain).visitor()
	for _, line := range local.post("forgot-password", object{"email": fresh("n")}).header["Set-Cookie"] {
		if strings.Contains(line, "Secure") || strings.HasPrefix(line, "__Host-") || !strings.Contains(line, "HttpOnly") {
			t.Errorf("on loopback http: %s", line)
		}
	}
}

func TestSEC076_NothingPersonalIsCached(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t)
	address := fresh("v")
	v := s.visitor().register(address)
	for pattern, r := range routes() {
		method, target := path(pattern)
		if method == "GET" {
			a := v.call(pattern, r)
			want := "no-store"
			if public(target) {
				want = "public, max-age=300" // the same for all visitors
			}
			if cache := a.header.Get("Cache-Control"); cache != want {
				t.Errorf("%s: Cache-Control is %q", target, cache)
			}
		}
	}
	// A path that ends like a file name must not make a cache keep the page.
	for _, target := range []string{
		"/auth/account/x.css", "/auth/account;.js", "/auth/account%2f..%2fassets/a.js", "/auth/account.css", "/auth/account%00.js", "/auth/api/session/x.js",
		"/auth/api/session.css", "/auth/api/session%23.css", "/auth/account/..%2fa.png", "/auth/assets/../account",
	} {
		a := v.do("GET", target, "", http.Header{"Accept": {"text/html"}})
		if a.status < 400 || strings.Contains(a.body, address) || strings.Contains(a.header.Get("Cache-Control"), "public") {
			t.Errorf("%s gets status %d, Cache-Control %q", target, a.status, a.header.Get("Cache-Control"))
		}
	}
	page := v.get("/auth/account").must(200)
	asset := assetIn.FindString(page.body)
	if asset == "" {
		t.Fatal("the page has no script")
	}
	if a := v.get(asset).must(200); !strings.Contains(a.header.Get("Cache-Control"), "immutable") || strings.Contains(a.body, address) {
		t.Errorf("the script %s has Cache-Control %q", asset, a.header.Get("Cache-Control"))
	}
	if a, b := v.get(asset), s.visitor().get(asset); a.body != b.body {
		t.Error("two people get different scripts")
	}
}

// TestSEC082 checks the storage of a real browser.
func TestSEC077_SignOutEmptiesTheBrowser(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	v.get("/auth/account").must(200)
	for _, a := range []*answer{v.form("/auth/signout", nil)} {
		if got := a.header.Get("Clear-Site-Data"); !strings.Contains(got, `"cache"`) || !strings.Contains(got, `"storage"`) {
			t.Errorf("Clear-Site-Data is %q", got)
		}
	}
	if location := v.get("/auth/account").must(303).header.Get("Location"); !strings.HasPrefix(location, "/auth/signin") {
		t.Errorf("back leads to %s", location)
	}
}

func TestSEC078_MalformedSessionIsNobody(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	token := v.cookie("session")
	name := v.cookieName("session")
	nobody := s.visitor().do("GET", "/auth/api/session", "", nil)
	for _, value := range []string{
		"x", strings.Repeat("A", 15_000), "%", "not base64!", "\xff\xfe", "v1." + token, token + "x", token + ".sig", token[:42], token[:42] + "=",
		strings.ToLower(token), `{"user":"v"}`, "..", "null", "", `"` + token + `"`, token + "%00", token + "\t", " " + token + " x",
		token[:42] + string(rune(token[42]+1)), token + "," + token,
	} {
		a := v.do("GET", "/auth/api/session", "", http.Header{"Cookie": {name + "=" + value}})
		if a.status != 401 && !(strings.TrimSpace(value) == token) {
			t.Errorf("%.30q gets status %d", value, a.status)
		}
		if a.status == 401 && requestIDs.ReplaceAllString(a.body, "") != requestIDs.ReplaceAllString(nobody.body, "") {
			t.Errorf("%.30q is answered differently from nobody: %s", value, a.body)
		}
		page := v.do("GET", "/auth/account", "", http.Header{"Cookie": {name + "=" + value}})
		if page.status != 303 && !(strings.TrimSpace(value) == token) {
			t.Errorf("%.30q opens the account page: %d", value, page.status)
		}
	}
	for _, a := range s.raw("GET /auth/api/session HTTP/1.1\r\nHost: portico.test\r\nCookie: " + name + "=a\x00b\r\nConnection: close\r\n\r\n") {
		if a.status < 400 || a.status >= 500 {
			t.Errorf("NUL in a cookie gets status %d", a.status)
		}
	}
	if a := s.with("malformed!").do("GET", "/auth/api/session", "", nil); !strings.Contains(strings.Join(a.header["Set-Cookie"], " "), "Max-Age=0") {
		t.Error("a malformed cookie is not cleared")
	}
}

func TestSEC080_CookieBombs(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprintf("c%d=x", i)
	}
	chunks := make([]string, 200)
	for i := range chunks {
		chunks[i] = fmt.Sprintf("%s.%d=%s", v.cookieName("session"), i, strings.Repeat("x", 100))
	}
	for name, line := range map[string]string{
		"3,000 small ones": strings.Join(many, "; "), "one of 20 KiB": "x=" + strings.Repeat("x", 20<<10), "200 chunks": strings.Join(chunks, "; "),
	} {
		began := time.Now()
		a := v.do("GET", "/auth/signin", "", http.Header{"Cookie": {line + "; " + v.cookieLine()}, "Accept": {"text/html"}})
		if a.status != 431 || !strings.Contains(a.header.Get("Clear-Site-Data"), `"cookies"`) {
			t.Errorf("%s: %d, Clear-Site-Data %q: nothing frees the browser", name, a.status, a.header.Get("Clear-Site-Data"))
		}
		if took := time.Since(began); took > testform.Limit(time.Second) {
			t.Errorf("%s took %v", name, took)
		}
	}
	for _, a := range s.raw("GET /auth/signin HTTP/1.1\r\nHost: portico.test\r\nCookie: x=" + strings.Repeat("x", 64<<10) + "\r\n\r\n") {
		if a.status != 431 {
			t.Errorf("a cookie of 64 KiB gets status %d", a.status)
		}
	}
	if v.whoami() == "" {
		t.Error("the session is lost")
	}
}

func TestSEC081_IntermediateTokensAreNoSessions(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor()
	flow := v.signUp(address, good)
	email := s.mail.next(address)
	v.open(email.token(t))
	tokens := map[string]string{
		"flow id": flow, "mailed link": email.token(t), "code": email.code(t), "browser binding": v.cookie("browser"), "link cookie": v.cookie("link"),
	}
	v.verify(flow, email.code(t)).must(200)
	tokens["device"] = v.cookie("device")
	recovering := s.visitor()
	reset := recovering.forgot(address)
	recovering.verify(reset, lastCode(s, s.mail, address)).must(200)
	tokens["proven flow"], tokens["its browser"] = reset, recovering.cookie("browser")
	for name, token := range tokens {
		if token == "" {
			t.Errorf("there is no %s", name)
		}
		if s.with(token).whoami() != "" {
			t.Errorf("the %s opens a session", name)
		}
		for _, authorization := range []string{"Bearer " + token, "Basic " + token, token} {
			s.visitor().do("GET", "/auth/api/session", "", http.Header{"Authorization": {authorization}}).refused(401, "session.required")
		}
	}
	// A session must not be accepted from a query or a header either.
	s.visitor().do("GET", "/auth/api/session?session="+v.cookie("session"), "", http.Header{"Authorization": {"Bearer " + v.cookie("session")}}).refused(401, "session.required")
}

package gateway_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/store"
)

// browser keeps cookies per host, follows redirects and submits the form with a
// ticket.
type browser struct {
	*site
	jar map[string]map[string]string // host -> name -> value
	way []string
}

func (b *browser) open(target string) answer {
	b.Helper()
	return b.follow("GET", target, "")
}

func (b *browser) follow(method, target, body string) answer {
	b.Helper()
	for range 10 {
		u, err := url.Parse(target)
		if err != nil {
			b.Fatal(err)
		}
		a := b.ask(method, u, body)
		next, err := u.Parse(a.header.Get("Location"))
		switch {
		case err != nil:
			b.Fatal(err)
		case a.status == http.StatusSeeOther:
			method, target, body = "GET", next.String(), ""
		case strings.Contains(a.body, `name="ticket"`):
			if !strings.Contains(a.body, "<noscript><p>You&#39;re signed in. Use the button to continue to ") {
				b.Errorf("without script the page does not say what its button does: %s", a.body)
			}
			method, target, body = "POST", formOf(b.TB, a).action, formOf(b.TB, a).body()
		default:
			return a
		}
	}
	b.Fatalf("it goes in a circle: %v", b.way)
	return answer{}
}

// ask sends one request and stores the cookies.
func (b *browser) ask(method string, u *url.URL, body string) answer {
	b.Helper()
	b.way = append(b.way, u.Scheme+"://"+u.Host+u.Path)
	lines := []string{navigate, "Host: " + u.Host}
	if method == "POST" {
		lines = append(lines, "Content-Type: application/x-www-form-urlencoded", "Origin: null")
	} // a cross-site form has no cookies
	for name, value := range b.jar[u.Host] {
		if method == "GET" {
			lines = append(lines, "Cookie: "+name+"="+value)
		}
	}
	a := b.do(method, u.RequestURI(), body, lines...)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if b.jar[u.Host] == nil {
			b.jar[u.Host] = map[string]string{}
		}
		if b.jar[u.Host][c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.jar[u.Host], c.Name)
		}
	}
	return a
}

// handed is the form that carries a ticket.
type handed struct{ action, ticket, to string }

func (h handed) body() string { return url.Values{"ticket": {h.ticket}, "to": {h.to}}.Encode() }

func formOf(t testing.TB, a answer) handed {
	t.Helper()
	find := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(a.body)
		if m == nil {
			t.Fatalf("%d %s: no %s", a.status, a.body, pattern)
		}
		return html.UnescapeString(m[1])
	}
	return handed{find(`action="([^"]*)"`), find(`name="ticket" value="([^"]*)"`), find(`name="to" value="([^"]*)"`)}
}

// twoApps configures apps on hosts of their own.
func twoApps(t *testing.T) func(*config.Config) {
	t.Helper()
	up, _ := url.Parse(echoApp(t).URL)
	return func(c *config.Config) {
		c.Apps = []config.App{
			{Name: "wiki", Host: "wiki.test", Path: "/", Upstream: up, Rules: []string{"public /public/*", "fresh:10m /danger/*", "role:admin /admin/*", "signed-in /*"}, Key: "app.1"},
			{Name: "other", Host: "other.test", Path: "/", Upstream: up, Rules: []string{"signed-in /*"}, Key: "app.2"},
		}
	}
}

// The session of the public host reaches the host of an app in another cookie.
// The cookie is worthless on other hosts, and ends with the session.
func TestCrossing(t *testing.T) {
	t.Parallel()
	s := start(t, twoApps(t))
	b := &browser{site: s, jar: map[string]map[string]string{}}
	if a := b.open("http://wiki.test/a/b?c=%2F"); a.status != 200 || !strings.Contains(a.body, `"return_to":"http://wiki.test/a/b?c=%2F"`) {
		t.Fatalf("a browser without a session comes to %v: %d %s", b.way, a.status, a.body)
	}
	session, _, _ := strings.Cut(strings.TrimPrefix(s.person("mara@x.test"), "portico-session="), ";")
	b.jar[s.host] = map[string]string{"portico-session": session}
	b.way = nil
	a := b.open("http://wiki.test/a/b?c=%2F")
	if got := a.echoed(t); got.Target != "/a/b?c=%2F" || got.Host != "wiki.test" || got.Header.Get("X-Portico-Email") != "mara@x.test" || got.Header["Cookie"] != nil {
		t.Errorf("by %v the app got %+v", b.way, got)
	}
	here := b.jar["wiki.test"]["portico-session"]
	if here == "" || here == session || b.jar["wiki.test"]["portico-ticket"] != "" {
		t.Fatalf("the cookies there are %q", b.jar["wiki.test"])
	}
	if a := b.open("http://wiki.test/admin/x"); a.status != 403 || !strings.Contains(a.body, "You're signed in as mara@x.test.") {
		t.Errorf("without the role: %d %s", a.status, a.body)
	}
	if a := b.open("http://other.test/"); a.status != 200 {
		t.Errorf("the second app: %d by %v", a.status, b.way)
	}
	// A cookie of one host is worthless on another.
	for _, try := range []struct{ host, value string }{{s.host, here}, {"other.test", here}, {"wiki.test", session}, {"wiki.test", here[:len(here)-4] + "AAAA"}} {
		if a := s.get("/x", fetch, "Host: "+try.host, "Cookie: portico-session="+try.value); a.status == 200 {
			t.Errorf("the cookie of one host opens %s", try.host)
		}
	}
	if a := s.get("/auth/api/session", "Cookie: portico-session="+here); a.status != 401 {
		t.Errorf("the cookie of an app's host opens the account: %d", a.status)
	}
	// The screens are only on the public host.
	for _, target := range []string{"/auth/account?x=%2F", "http://wiki.test/auth/account?x=%2F"} {
		if a := s.get(target, navigate, "Host: wiki.test"); a.status != 303 || a.header.Get("Location") != s.origin+"/auth/account?x=%2F" {
			t.Errorf("%s at an app's host: %d %s", target, a.status, a.header.Get("Location"))
		}
	}
	if a := s.do("POST", "/auth/api/signin", "{}", "Host: wiki.test", fetch); a.status != 404 {
		t.Errorf("the API at an app's host: %d", a.status)
	}
	// Signing out on the host of an app ends the session everywhere.
	cookie := "Cookie: portico-session=" + here
	for _, foreign := range []string{"Origin: http://evil.test", "Origin: null", "Origin: null\r\nSec-Fetch-Site: cross-site", "Origin: null\r\nSec-Fetch-Site: none"} {
		if a := s.do("POST", "/auth/signout", "", "Host: wiki.test", cookie, foreign); a.status != 403 {
			t.Errorf("another site signs out with %q: %d", foreign, a.status)
		}
	}
	noReferrer := "Origin: null\r\nSec-Fetch-Site: same-origin"
	if a := s.do("POST", "/auth/signout", "", "Host: wiki.test", cookie, noReferrer); a.status != 303 || a.header.Get("Location") != s.origin+"/auth/signed-out" {
		t.Errorf("sign-out: %d %v", a.status, a.header)
	}
	s.recorded("mara@x.test", audit.SignedOut)
	for to, want := range map[string]string{
		"/bye?x=1":                 "?return_to=http%3A%2F%2Fwiki.test%2Fbye%3Fx%3D1",
		"http://other.test/":       "?return_to=http%3A%2F%2Fother.test%2F",
		"http://wiki.test@evil.x/": "",
	} {
		if a := s.do("POST", "/auth/signout?return_to="+url.QueryEscape(to), "", "Host: wiki.test", "Origin: http://wiki.test"); a.header.Get("Location") != s.origin+"/auth/signed-out"+want {
			t.Errorf("sign-out with the target %s: %d %v", to, a.status, a.header)
		}
	}
	for host, jar := range b.jar {
		if a := s.get("/auth/api/session", "Cookie: portico-session="+jar["portico-session"]); a.status != 401 {
			t.Errorf("%s is still signed in", host)
		}
		if a := s.get("/x", fetch, "Host: "+host, "Cookie: portico-session="+jar["portico-session"]); a.status == 200 {
			t.Errorf("%s still shows its app", host)
		}
	}
}

// Two tabs that start at once both arrive, even if their steps interleave. A
// page from the history leads on as well.
func TestCrossing_TwoTabs(t *testing.T) {
	t.Parallel()
	s := start(t, twoApps(t))
	session, _, _ := strings.Cut(strings.TrimPrefix(s.person("mara@x.test"), "portico-session="), ";")
	b := &browser{site: s, jar: map[string]map[string]string{s.host: {"portico-session": session}}}
	parse := func(raw string) *url.URL {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	step := func(a answer, base string) *url.URL {
		u, err := parse(base).Parse(a.header.Get("Location"))
		if err != nil || a.status != 303 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return u
	}
	const wiki = "http://wiki.test"
	first, second := step(b.ask("GET", parse(wiki+"/auth/enter?to=/one"), ""), wiki), step(b.ask("GET", parse(wiki+"/auth/enter?to=/two"), ""), wiki)
	one, two := formOf(t, b.ask("GET", first, "")), formOf(t, b.ask("GET", second, ""))
	backOne, backTwo := step(b.ask("POST", parse(one.action), one.body()), wiki), step(b.ask("POST", parse(two.action), two.body()), wiki)
	for want, at := range map[string]*url.URL{"/one": backOne, "/two": backTwo} {
		if to := step(b.ask("GET", at, ""), wiki); to.Path != want {
			t.Errorf("the tab of %s arrives at %s", want, to)
		}
	}
	if a := b.open(wiki + "/one"); a.status != 200 || !strings.Contains(a.body, "/one") {
		t.Errorf("the app: %d by %v", a.status, b.way)
	}
	s.clock.Advance(time.Minute)
	for name, at := range map[string]string{"the page with the form": first.String(), "the way's end": backOne.String()} {
		if a := b.open(at); a.status != 200 || !strings.Contains(a.body, `"Target":"/one"`) {
			t.Errorf("%s, once more, leads to %d %s", name, a.status, a.body)
		}
	}
	if a := b.follow("POST", one.action, one.body()); a.status != 200 || !strings.Contains(a.body, `"Target":"/one"`) {
		t.Errorf("the form, once more, leads to %d %s", a.status, a.body)
	}
	// A browser that refuses the cookies gets a page and no redirect loop.
	fresh := formOf(t, b.ask("GET", step(b.ask("GET", parse(wiki+"/auth/enter?to=/x"), ""), wiki), ""))
	delete(b.jar, "wiki.test")
	a := b.ask("GET", step(b.ask("POST", parse(fresh.action), fresh.body()), wiki), "")
	delete(b.jar, "wiki.test")
	if to := a.header.Get("Location"); a.status != 303 || !strings.HasPrefix(to, s.origin+"/auth/error?") || strings.Contains(to, "ticket") {
		t.Errorf("without cookies: %d %s", a.status, to)
	}
}

// A session that cannot be checked is not none: the same address leads on once the database answers.
func TestCrossing_NoDatabase(t *testing.T) {
	t.Parallel()
	s := start(t, twoApps(t))
	session, _, _ := strings.Cut(strings.TrimPrefix(s.person("mara@x.test"), "portico-session="), ";")
	b := &browser{site: s, jar: map[string]map[string]string{s.host: {"portico-session": session}}}
	b.open("http://wiki.test/one")
	s.clock.Advance(config.Default().Session.Idle) // memory alone does not know whether it was used elsewhere
	s.broken = true
	if err := s.app.Store.Close(); err != nil {
		t.Fatal(err)
	}
	at := &url.URL{Scheme: "http", Host: "wiki.test", Path: "/auth/arrive", RawQuery: "to=%2Fone"}
	if a := b.ask("GET", at, ""); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("without a database: %d %v", a.status, a.header)
	}
}

// The transfer redirects only to known hosts, and issues tickets only for
// top-level navigations.
func TestCrossing_Targets(t *testing.T) {
	t.Parallel()
	s := start(t, twoApps(t))
	session, _, _ := strings.Cut(strings.TrimPrefix(s.person("mara@x.test"), "portico-session="), ";")
	bind := func(to string) string {
		a := s.get("/auth/enter?to="+url.QueryEscape(to), navigate, "Host: wiki.test")
		u, err := url.Parse(a.header.Get("Location"))
		if err != nil || strings.Contains(u.Query().Get("to"), "evil") || !strings.HasPrefix(u.String(), s.origin+"/") {
			t.Errorf("to %q: %s", to, a.header.Get("Location"))
		}
		return u.Query().Get("bind")
	}
	for _, to := range []string{"https://evil.test/", "//evil.test", "http://wiki.test.evil.test/", "http://" + s.host + "/", "javascript:alert(1)", ""} {
		a := s.get("/auth/enter?bind="+bind(to)+"&to="+url.QueryEscape(to), navigate, "Cookie: portico-session="+session)
		if a.status == 303 || strings.Contains(a.body, "ticket") {
			t.Errorf("to %q: %d %s", to, a.status, a.header.Get("Location"))
		}
	}
	good := "/auth/enter?bind=" + bind("/x") + "&to=" + url.QueryEscape("http://wiki.test/x")
	frame := "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe"
	for _, how := range []string{fetch, frame} {
		if a := s.get(good, how, "Cookie: portico-session="+session); a.status == 200 || a.status == 303 {
			t.Errorf("%q gets %d", how, a.status)
		}
	}
	if a := s.get(good, navigate, "Cookie: portico-session="+session); a.status != 200 {
		t.Errorf("a page of its own gets %d", a.status)
	}
}

// recorded expects an audit record of an account that is of a request.
func (s *site) recorded(address string, name audit.Name) {
	s.Helper()
	person, err := s.app.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	err = s.app.Store.Read(s.Context(), func(tx *store.Tx) error {
		facts, err := tx.FactsOf(s.Context(), person.ID, "", 100)
		at := slices.IndexFunc(facts, func(f audit.Fact) bool { return f.Name == name })
		if err == nil && (at < 0 || facts[at].Peer == "" || facts[at].RequestID == "") {
			s.Errorf("the records are %+v, want %s with network and request", facts, name)
		}
		return err
	})
	if err != nil {
		s.Error(err)
	}
}

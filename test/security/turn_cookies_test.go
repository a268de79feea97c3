package security

import (
	"context"
	"crypto/tls"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"portico/internal/config"
)

// gullibleApp takes the user from the gateway only when it has no session of
// its own. After that it believes its own cookie, as Miniflux does.
type gullibleApp struct {
	*httptest.Server
	mu       sync.Mutex
	sessions map[string]string // the user of each session
	cookies  []string          // the cookies that it received, each with the target
	set      func(r *http.Request, session string) []string
}

func newGullibleApp(t *testing.T) *gullibleApp {
	t.Helper()
	a := &gullibleApp{sessions: map[string]string{}, set: func(_ *http.Request, session string) []string {
		return []string{"app_session=" + session + "; Path=/; HttpOnly; Secure"}
	}}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(a.Close)
	return a
}

func (a *gullibleApp) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cookies = append(a.cookies, r.URL.Path+" "+r.Header.Get("Cookie"))
	if r.URL.Path == "/logout" {
		for _, c := range r.Cookies() {
			delete(a.sessions, c.Value)
		}
		return
	}
	for _, c := range r.Cookies() {
		if who := a.sessions[c.Value]; who != "" {
			_, _ = io.WriteString(w, "you are "+who)
			return
		}
	}
	who := r.Header.Get("X-Portico-Email")
	if who == "" && !strings.HasPrefix(r.URL.Path, "/public/set") {
		_, _ = io.WriteString(w, "you are nobody")
		return
	}
	if who == "" {
		who = "a guest"
	}
	session := fmt.Sprintf("s%d", len(a.sessions)+len(a.cookies))
	a.sessions[session] = who
	for _, line := range a.set(r, session) {
		w.Header().Add("Set-Cookie", line)
	}
	_, _ = io.WriteString(w, "you are "+who)
}

// got returns the cookies that the app received since the last call.
func (a *gullibleApp) got() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := strings.Join(a.cookies, "\n")
	a.cookies = nil
	return all
}

// shared is a browser that several people use. It has a real cookie jar.
type shared struct {
	*site
	client http.Client
}

func (s *site) sharedBrowser() *shared {
	jar, _ := cookiejar.New(nil)
	transport := s.browsers.add(&http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, s.addr)
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	})
	return &shared{s, http.Client{Jar: jar, Transport: transport}}
}

// page loads a page as a browser does and returns its text and its header.
func (b *shared) page(target string) (string, http.Header) {
	b.Helper()
	if strings.HasPrefix(target, "/") {
		target = b.origin + target
	}
	answer, err := b.client.Get(target)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if to := formAction.FindSubmatch(text); to != nil { // the form that takes the session to an app's own host
		return b.send(html.UnescapeString(string(to[1])), string(text))
	}
	return string(text), answer.Header
}

var (
	formAction = regexp.MustCompile(`action="([^"]*/auth/arrive[^"]*)"`)
	formField  = regexp.MustCompile(`name="([^"]*)"[^>]* value="([^"]*)"`)
)

// send submits the form of a page, as its script does.
func (b *shared) send(to, page string) (string, http.Header) {
	b.Helper()
	fields := url.Values{}
	for _, f := range formField.FindAllStringSubmatch(page, -1) {
		if f[1] != "viewport" {
			fields.Set(f[1], html.UnescapeString(f[2]))
		}
	}
	r, _ := http.NewRequest(http.MethodPost, to, strings.NewReader(fields.Encode()))
	r.Header = http.Header{"Origin": {"null"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text), answer.Header
}

func (b *shared) post(operation string, body object) {
	b.Helper()
	r, _ := http.NewRequest(http.MethodPost, b.origin+"/auth/api/"+operation, strings.NewReader(encode(body)))
	r.Header = http.Header{"Origin": {b.origin}, "Content-Type": {"application/json"}}
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		b.Fatalf("%s: %d %s", operation, answer.StatusCode, text)
	}
}

func (b *shared) signIn(address string) { b.post("signin", object{"email": address, "password": good}) }

func (b *shared) signOut() { b.post("signout", object{}) }

// has returns the cookies that the browser would send to an address.
func (b *shared) has(target string) string {
	u, _ := url.Parse(b.origin + target)
	var names []string
	for _, c := range b.client.Jar.Cookies(u) {
		if !strings.Contains(c.Name, "portico") {
			names = append(names, c.Name+"="+c.Value)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "; ")
}

func (b *shared) plant(target string, c http.Cookie) {
	u, _ := url.Parse(b.origin + target)
	b.client.Jar.SetCookies(u, []*http.Cookie{&c})
}

func gullible(a *gullibleApp, change func(*config.Config)) option {
	return func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(a.URL)
		c.App.Rules = []string{"public /public/*", "signed-in /*"}
		if change != nil {
			change(c)
		}
	}
}

// startShared runs a site before a gullible app, with two users and the browser that they share.
func startShared(t *testing.T, app *gullibleApp, change func(*config.Config)) (b *shared, mara, noah string) {
	t.Helper()
	s := start(t, gullible(app, change))
	mara, noah = s.two()
	return s.sharedBrowser(), mara, noah
}

func (b *shared) sees(target, who string) {
	b.Helper()
	if text, _ := b.page(target); text != "you are "+who {
		b.Errorf("%s: the app says %q, want that it is %s", target, text, who)
	}
}

// An app that believes its own cookie must not take the next user for the one
// before. The cases are a sign-out, a sign-in over the first session, and a
// path to which only the old cookie is sent.
func TestSEC225_TheNextPersonIsNotThePersonBefore(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, leave := range map[string]func(*shared){"signed out": (*shared).signOut, "over the first": func(*shared) {}} {
		for where, lines := range map[string]func(session string) []string{
			"the host":    func(v string) []string { return []string{"app_session=" + v + "; Path=/; Secure; HttpOnly"} },
			"no path":     func(v string) []string { return []string{"app_session=" + v} },
			"a deep path": func(v string) []string { return []string{"app_session=" + v + "; Path=/deep/down"} },
			"two paths": func(v string) []string {
				return []string{"app_session=" + v + "; Path=/deep/down", "app_session=" + v + "; Path=/"}
			},
			"the domain":   func(v string) []string { return []string{"app_session=" + v + "; Path=/; Domain=apps.portico.test"} },
			"a parent":     func(v string) []string { return []string{"app_session=" + v + "; Path=/; Domain=portico.test"} },
			"__Host-":      func(v string) []string { return []string{"__Host-app=" + v + "; Path=/; Secure"} },
			"__Secure-":    func(v string) []string { return []string{"__Secure-app=" + v + "; Path=/deep/; Secure"} },
			"many":         func(v string) (all []string) { return slices.Repeat([]string{"app_session=" + v + "; Path=/"}, 3) },
			"forty at all": forty,
		} {
			t.Run(name+", "+where, func(t *testing.T) {
				t.Parallel()
				app := newGullibleApp(t)
				app.set = func(_ *http.Request, session string) []string { return lines(session) }
				b, mara, noah := startShared(t, app, func(c *config.Config) { c.PublicURL = &url.URL{Scheme: "https", Host: "apps.portico.test"} })
				b.signIn(mara)
				for _, target := range []string{"/deep/down/x", "/deep/x", "/"} {
					b.sees(target, mara)
				}
				old := b.has("/deep/down/x")
				if old == "" {
					t.Fatal("the app has set no cookie")
				}
				leave(b)
				b.signIn(noah)
				app.got()
				for _, target := range []string{"/deep", "/", "/deep/down/x", "/deep/x", "/deep/down/x", "/"} {
					b.sees(target, noah)
				}
				got := app.got()
				for pair := range strings.SplitSeq(old, "; ") {
					if _, value, _ := strings.Cut(pair, "="); strings.Contains(got+"\n", "="+value+"\n") || strings.Contains(got, "="+value+";") {
						t.Errorf("the app got %s of the person before:\n%s", pair, got)
					}
					if strings.Contains("; "+b.has("/deep/down/x")+";", "; "+pair+";") {
						t.Errorf("the browser still has %s", pair)
					}
				}
				// The first user comes back and sees their own account.
				b.signIn(mara)
				b.sees("/deep/down/x", mara)
			})
		}
	}
}

// A script's cookie at a deeper path was never seen by the gateway. When it
// comes with a later request, it must not reach the app either.
func TestSEC225_CookiesThatScriptsHaveSet(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newGullibleApp(t)
	b, mara, noah := startShared(t, app, nil)
	b.signIn(mara)
	b.sees("/", mara)
	b.plant("/deep/down/x", http.Cookie{Name: "scripted", Value: strings.TrimPrefix(b.has("/"), "app_session="), Path: "/deep/down"})
	b.signIn(noah)
	for _, target := range []string{"/", "/deep/down/x", "/deep/down/x"} {
		b.sees(target, noah)
	}
	if cookies := b.has("/deep/down/x"); strings.Contains(cookies, "scripted") {
		t.Errorf("the browser still has %s", cookies)
	}
	b.plant("/", http.Cookie{Name: "scripted", Value: "new", Path: "/"}) // set by a page of the next user
	app.got()
	b.sees("/", noah)
	if got := app.got(); !strings.Contains(got, "scripted=new") {
		t.Errorf("the app got %q", got)
	}
}

// forty returns more cookies than one response can delete.
func forty(session string) (lines []string) {
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("c%d=%s; Path=/", i, session))
	}
	return lines
}

// A public page without a session must not see the user who signed out. That
// user's own cookies still work when they come back.
func TestSEC226_AfterTheSignOutNobodyIsThere(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newGullibleApp(t)
	b, mara, noah := startShared(t, app, nil)
	b.signIn(mara)
	b.sees("/", mara)
	old := b.has("/")
	b.signOut()
	app.got()
	b.sees("/public/x", "nobody")
	if got := app.got(); got != "/public/x " {
		t.Errorf("the app got %q", got)
	}
	b.signIn(mara)
	b.sees("/", mara)
	if got := app.got(); got != "/ "+old {
		t.Errorf("the same person again: the app got %q, want %q", got, old)
	}
	// Cookies that were set without a session belong to the first user who
	// signs in.
	b.signOut()
	b.sees("/public/set", "a guest")
	b.sees("/public/x", "a guest")
	if cookies := b.has("/"); strings.Contains(cookies, old) {
		t.Errorf("the browser still has %s of %s", cookies, old)
	}
	guest := b.has("/")
	b.signIn(noah)
	b.sees("/", "a guest")
	if b.has("/") != guest {
		t.Error("what the guest did is lost after the sign-in")
	}
	b.signIn(mara)
	b.sees("/", mara)
}

// An app can keep cookies by name, or all of them, for the next user too. An
// app with its own sign-out is asked for it with the old cookies alone.
func TestSEC227_UserChangePerApp(t *testing.T) {
	announce(t)
	t.Parallel()
	t.Run("keep_cookies", func(t *testing.T) {
		t.Parallel()
		app := newGullibleApp(t)
		b, mara, noah := startShared(t, app, func(c *config.Config) { c.App.KeepCookies = []string{"lang"} })
		b.plant("/", http.Cookie{Name: "lang", Value: "de", Path: "/"})
		b.signIn(mara)
		b.sees("/", mara)
		b.signIn(noah)
		app.got()
		b.sees("/", noah)
		if got := app.got(); got != "/ lang=de" || !strings.Contains(b.has("/"), "lang=de") {
			t.Errorf("the app got %q, the browser has %q", got, b.has("/"))
		}
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		app := newGullibleApp(t)
		b, mara, noah := startShared(t, app, func(c *config.Config) { c.App.OnUserChange = config.IgnoreChanges })
		b.signIn(mara)
		b.sees("/", mara)
		b.signIn(noah)
		b.sees("/", mara) // as configured
	})
	t.Run("sign-out-url", func(t *testing.T) {
		t.Parallel()
		app := newGullibleApp(t)
		b, mara, noah := startShared(t, app, func(c *config.Config) { c.App.OnUserChange, c.App.SignOutURL = config.SignOutAtApp, "/logout" })
		b.signIn(mara)
		b.sees("/", mara)
		old := b.has("/")
		b.signIn(noah)
		app.got()
		b.sees("/x", noah)
		if got := app.got(); got != "/logout "+old+"\n/x " {
			t.Errorf("the app was asked:\n%s", got)
		}
		if len(app.sessions) != 1 {
			t.Errorf("the app has the sessions %v", app.sessions)
		}
	})
}

// Several apps, by path and at their own hosts: each loses the cookies of the
// user before, also the app that is visited last.
func TestSEC228_UserChangeAtEveryApp(t *testing.T) {
	announce(t)
	t.Parallel()
	root, shop, wiki := newGullibleApp(t), newGullibleApp(t), newGullibleApp(t)
	shop.set = func(_ *http.Request, v string) []string { return []string{"shop=" + v + "; Path=/shop"} }
	b, mara, noah := startShared(t, root, func(c *config.Config) {
		address := func(a *gullibleApp) *url.URL { u, _ := url.Parse(a.URL); return u }
		c.Apps = []config.App{
			{Name: "shop", Path: "/shop", Upstream: address(shop), Rules: []string{"signed-in /shop/*"}, Key: "app.1"},
			{Name: "wiki", Host: "wiki.portico.test", Path: "/", Upstream: address(wiki), Rules: []string{"signed-in /*"}, Key: "app.2"},
		}
	})
	all := []string{"/", "/shop/x", "https://wiki.portico.test/x"}
	for _, who := range []string{mara, noah, mara} {
		b.signIn(who)
		for _, target := range all {
			b.sees(target, who)
			b.sees(target, who)
		}
		slices.Reverse(all)
	}
}

// The first response to the next user clears the app's storage in the browser,
// but not by deleting cookies. A cached page of the user before is not
// confirmed as current. Our own cookie reaches no app and names no user.
func TestSEC229_UserChangeClearsCachesAndNoSession(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newGullibleApp(t)
	header := make(chan http.Header, 9)
	app.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header <- r.Header
		app.serve(w, r)
	})
	b, mara, noah := startShared(t, app, nil)
	b.signIn(mara)
	if _, h := b.page("/"); h.Get("Clear-Site-Data") != "" {
		t.Errorf("the first person's storage is cleared: %v", h)
	}
	<-header
	b.signIn(noah)
	r, _ := http.NewRequest(http.MethodGet, b.origin+"/", nil)
	r.Header = http.Header{"If-None-Match": {`"a"`}, "If-Modified-Since": {"Thu, 01 Jan 2026 00:00:00 GMT"}}
	answer, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if got := answer.Header.Get("Clear-Site-Data"); got != `"cache", "storage"` {
		t.Errorf("Clear-Site-Data is %q", got)
	}
	if got := answer.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q: a cache would keep the cookies", got)
	}
	if h := <-header; h.Get("If-None-Match")+h.Get("If-Modified-Since") != "" || strings.Contains(h.Get("Cookie"), "portico") {
		t.Errorf("the app got %v", h)
	}
	for _, c := range answer.Cookies() {
		for _, account := range []string{mara, noah} {
			found, err := b.app.Operator.User(b.Context(), account)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.Value, found.ID) {
				t.Errorf("%s names an account", c.Name)
			}
		}
	}
	if _, h := b.page("/"); h.Get("Clear-Site-Data")+strings.Join(h["Set-Cookie"], "") != "" {
		t.Errorf("the second answer to the same person has %v", h)
	}
	b.sees("/", noah)
}

// A WebSocket of the next user must not carry the cookies of the user before.
func TestSEC230_UserChangeAndWebSockets(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newGullibleApp(t)
	b, mara, noah := startShared(t, app, nil)
	b.signIn(mara)
	b.sees("/", mara)
	b.signIn(noah)
	app.got()
	r, _ := http.NewRequest(http.MethodGet, b.origin+"/ws", nil)
	r.Header = http.Header{"Origin": {b.origin}, "Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}
	answer, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if got := app.got(); got != "/ws " {
		t.Errorf("the app got %q", got)
	}
}

// SEC-225 and SEC-229 in a real browser: cookies, storage and cache of the user
// before are gone, and the new session works.
func TestSEC229_UserChangeInARealBrowser(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newGullibleApp(t)
	app.set = func(_ *http.Request, v string) []string {
		return []string{"app_session=" + v + "; Path=/; Secure; HttpOnly", "app_deep=" + v + "; Path=/deep; Secure", "app_wide=" + v + "; Path=/; Domain=portico.test; Secure"}
	}
	s := start(t, gullible(app, nil))
	mara, noah := s.two()
	c := s.browse()
	c.visit(s.origin + "/public/x")
	signIn := func(who string) {
		t.Helper()
		script := fmt.Sprintf(`fetch("/auth/api/signin", {method: "POST", headers: {"Content-Type": "application/json"}, body: %s}).then(a => String(a.status))`, encodeText(encode(object{"email": who, "password": good})))
		if status := c.evaluate(script); status != "200" {
			t.Fatalf("%s: the sign-in gets %s", who, status)
		}
	}
	sees := func(target, who string) {
		t.Helper()
		c.visit(s.origin + target)
		if text := c.evaluate("document.body.innerText"); text != "you are "+who {
			t.Errorf("%s: the app says %q, want that it is %s", target, text, who)
		}
	}
	signIn(mara)
	sees("/", mara)
	sees("/deep/x", mara)
	c.evaluate(`localStorage.token = "old"; document.cookie = "scripted=old; path=/deep/er"; "set"`)
	signIn(noah)
	sees("/", noah)
	if kept := c.evaluate(`String(localStorage.token)`); kept != "undefined" {
		t.Errorf("the browser still stores %s", kept)
	}
	app.got()
	sees("/deep/er/x", noah)
	if got := app.got(); strings.Contains(got, "scripted") {
		t.Errorf("the app got %q", got)
	}
	if cookies := c.evaluate("document.cookie"); strings.Contains(cookies, "scripted") {
		t.Errorf("the browser still has %s", cookies)
	}
	signIn(mara)
	sees("/", mara)
}

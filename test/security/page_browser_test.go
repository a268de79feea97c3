package security

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// SEC-056 to SEC-058 and SEC-087 in a real browser: where it lands, and that no
// script of the input runs.
func TestSEC058_ScriptURLsNeverRun(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t, apps)
	c := s.browse()
	address := fresh("v")
	s.operator(address, good)
	for _, page := range pages() {
		var query []string
		for _, name := range []string{"return_to", "email", "code", "flow", "token", "provider", "error", "request", "next"} {
			query = append(query, name+"="+url.QueryEscape(polyglot))
		}
		c.visit(s.origin + page + "?" + strings.Join(query, "&") + "#" + url.PathEscape(polyglot))
		for _, link := range strings.Fields(c.evaluate(`Array.from(document.links, l => l.href).join(" ")`)) {
			if !strings.HasPrefix(link, s.origin+"/") {
				t.Errorf("%s links to %s", page, link)
			}
		}
	}
	for _, target := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>",
		"//evil.test", "/\\evil.test", "\\/evil.test", "/\t/evil.test", "https:evil.test", "https://app.test@evil.test", "/%2f%2fevil.test", "/.//evil.test",
	} {
		c.visit(s.origin + "/auth/signin?return_to=" + url.QueryEscape(target))
		c.fill(map[string]string{"email": address, "password": good})
		c.until(`location.pathname === "/auth/account"`)
		if origin := c.evaluate("location.origin"); origin != s.origin {
			t.Errorf("%q lands at %s", target, origin)
		}
		c.until(`document.querySelector('form[action="/auth/signout"]') !== null`)
		_, _ = c.value(`document.querySelector('form[action="/auth/signout"]').requestSubmit(); "sent"`)
		c.until(`location.pathname !== "/auth/account"`) // the page notices the sign-out by itself, if it is faster
	}
	c.quiet()
}

func TestSEC082_BrowserKeepsNoSecret(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t)
	c := s.browse()
	address := fresh("v")
	secrets := []string{good, address}
	kept := func(stage string) {
		t.Helper()
		dump := c.evaluate(`(async () => {
			const names = (await indexedDB.databases()).map(d => d.name);
			const caches_ = await caches.keys();
			const workers = (await navigator.serviceWorker.getRegistrations()).length;
			return JSON.stringify([{...localStorage}, {...sessionStorage}, names, caches_, workers, document.cookie, window.name, history.state]);
		})()`)
		for _, secret := range secrets {
			if secret != "" && strings.Contains(dump, secret) {
				t.Errorf("%s: the browser keeps %q in %s", stage, secret, dump)
			}
		}
	}
	c.visit(s.origin + "/auth/signup")
	c.fill(map[string]string{"email": address, "password": good, "confirm_password": good})
	c.until(`location.pathname === "/auth/verify-code"`)
	email := s.mail.next(address)
	secrets[1] = "" // the address may pass from one screen to the next (WCAG 3.3.7)
	secrets = append(secrets, email.code(t), email.token(t))
	kept("after the registration")
	c.until(`document.querySelector('input[name="code"]') !== null`)
	c.fill(map[string]string{"code": email.code(t)})
	c.until(`location.pathname === "/auth/account"`)
	secrets[1] = address
	kept("signed in")
	if c.evaluate(`document.cookie`) != "" {
		t.Errorf("scripts see cookies: %s", c.evaluate(`document.cookie`))
	}
	c.until(`document.querySelector('form[action="/auth/signout"], button[type="submit"]') !== null`)
	_, _ = c.value(`document.querySelector('form[action="/auth/signout"]').requestSubmit(); "sent"`)
	c.until(`location.pathname === "/auth/signed-out"`)
	kept("signed out")
	// Back shows no personal page (SEC-077). A page that the browser has kept asks the
	// server first, and loads again.
	c.evaluate(`setTimeout(() => history.back()); "going"`)
	c.until(fmt.Sprintf(`location.pathname !== "/auth/signed-out" && document.readyState === "complete" && !document.documentElement.outerHTML.includes(%q)`, address))
	c.quiet()
}

func TestSEC092_QueriesDoNotReachObjects(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t)
	c := s.browse()
	for _, page := range []string{"/auth/signin", "/auth/signup", "/auth/forgot-password"} {
		c.visit(s.origin + page + "?__proto__[x]=1&__proto__.x=1&constructor.prototype.x=1&constructor[prototype][x]=1&email=a&email=b#/auth/account?x=1")
		if got := c.evaluate(`String(({}).x) + String(Object.prototype.x)`); got != "undefinedundefined" {
			t.Errorf("%s: Object.prototype.x is %s", page, got)
		}
		c.evaluate(`window.postMessage({ type: "auth", token: "x", next: "https://evil.test", location: "javascript:alert(1)" }, "*"); new Promise(done => setTimeout(done, 100))`)
		// Elements with the names of globals must not break the scripts.
		c.evaluate(`document.body.insertAdjacentHTML; for (const name of ["config", "boot2", "fetch", "document"]) { const f = document.createElement("form"); f.setAttribute("name", name); document.body.append(f); } "done"`)
		if path := c.evaluate(`location.pathname`); path != page {
			t.Errorf("a message has led from %s to %s", page, path)
		}
		if c.evaluate(`document.querySelector("input") !== null`) != "true" {
			t.Errorf("%s does not work anymore", page)
		}
	}
	c.quiet()
}

package flow_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/flow"
)

var targets = flow.Targets{Fallback: "/home", Origins: []string{"https://app.test", "https://*.apps.test", "https://port.test:8443"}}

// SEC-056, SEC-057, SEC-058.
func TestTargets(t *testing.T) {
	t.Parallel()
	for _, ok := range []string{
		"/", "/a", "/a/", "/a/b?c=d&e=https://evil.test/x#f", "/my%20files/a", "/caf%C3%A9/%D1%84?q=%C3", "/%E4%B8%AD%E6%96%87", "/wiki/%E2%80%94", "/?next=//evil.test", "/auth/device", "/auth/device?user_code=WDJB-MJHT", "/auth/account", "/auth/account/password#proven", "/authors",
		"https://app.test", "https://app.test/", "https://app.test/x?y#z", "https://app.test?x", "https://a.apps.test/x", "https://port.test:8443/x",
	} {
		if got := targets.Check(ok).String(); got != ok {
			t.Errorf("Check(%q) = %q", ok, got)
		}
	}
	for _, bad := range []string{
		"", "//evil.test", "///evil.test", `/\evil.test`, `\/evil.test`, `\\evil.test`, "/\t/evil.test", "/\n/evil.test", " //evil.test",
		"https:evil.test", "https:/evil.test", "https:///evil.test", `http:\\evil.test`, "https://app.test@evil.test", "https://app.test:443@evil.test",
		"https://app.test.evil.test", "https://evil.test#@app.test", "https://evil.test?@app.test", `https://evil.test\.app.test`, "//evil。test",
		"https://ａpp.test", "/%2f%2fevil.test", "/..//evil.test", "/%5cevil.test", "/%09/evil.test", "//%65vil.test", "https://app.test%2eevil.test",
		"javascript:alert(1)", "data:text/html,x", "vbscript:x", "JaVaScRiPt:alert(1)", "blob:https://app.test/x", "/%252f%252f/../x", "/" + strings.Repeat("a", 4096),
		"https://app.test.", "https://xapp.test", "https://apptest", "https://a.b.apps.test", "https://apps.test", "https://evilapps.test", "http://app.test",
		"https://app.test:8443", "/auth/device/x", "/auth/%64evice", "/auth/devices", "HTTPS://app.test", "https://APP.test", "https://user@app.test", "https://port.test", "/a/../b", "/a/%2e%2e/b", "/./a",
		"/auth/signin", "/auth/", "/auth/accounts", "/auth/account/../signin", "/auth/account/%2e%2e/signin", "/%61uth/signin", "/auth", "evil.test", "?x", "#x", "/a%00b", "/%EF%BC%8F%EF%BC%8Fevil.test", "/a%EF%BC%BCb", "/%EF%BC%8E%EF%BC%8E/a", "/a%E2%80%A6", "/a%C2%85", "/a%E2%80%A8b", "/a%c0%ae", "/a%ff", "/a%zz", "/caf\u00e9", "ftp://app.test/",
	} {
		if got := targets.Check(bad); got != (flow.Target{}) {
			t.Errorf("Check(%q) = %q, want nothing", bad, got)
		}
		if got := targets.Or(targets.Check(bad)); got != "/home" {
			t.Errorf("Or(Check(%q)) = %q, want the fallback", bad, got)
		}
	}
}

// Without a sign-in, only an address of an app can be shown.
func TestTarget_App(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "", "/": "/", "/reports?x=/auth/account": "/reports?x=/auth/account", "/authors": "/authors", "https://app.test/auth/account": "https://app.test/auth/account",
		"/auth/account": "", "/auth/account/password#proven": "", "/auth/device?user_code=WDJB-MJHT": "", "/auth/openid/authorize?client_id=x": "",
	} {
		if got := targets.Check(raw).App(); got != want {
			t.Errorf("Check(%q).App() = %q, want %q", raw, got, want)
		}
	}
}

// A URL of this origin is its path, by the rule for paths and by no other.
func TestTargets_Self(t *testing.T) {
	t.Parallel()
	self := flow.Targets{Self: "http://self.test:8080", Origins: []string{"http://self.test:8080", "https://app.test"}}
	for raw, want := range map[string]string{
		"http://self.test:8080": "/", "http://self.test:8080/": "/", "http://self.test:8080/app?x=1#y": "/app?x=1#y",
		"http://self.test:8080/auth/account": "/auth/account", "/a": "/a", "https://app.test/x": "https://app.test/x",

		"http://self.test:8080//evil.test": "", `http://self.test:8080/\evil.test`: "", "http://self.test:8080/%2f%2fevil.test": "",
		"http://self.test:8080/auth/signin": "", "http://self.test:8080/a/../b": "", "http://self.test:80801/": "", "http://self.test/": "",
		"http://self.test:8080.evil.test/": "", "http://self.test:8080@evil.test/": "", "https://self.test:8080/": "", "http://SELF.test:8080/": "",
		"http://self.test:8080///evil.test": "",
	} {
		if got := self.Check(raw).String(); got != want {
			t.Errorf("Check(%q) = %q, want %q", raw, got, want)
		}
	}
}

// Whatever is accepted stays on this origin or goes to an allowed one, as
// net/url and a WHATWG parser's first steps read it.
func FuzzTargets(f *testing.F) {
	for _, s := range []string{"/a?b#c", "//evil.test", `/\evil`, "https://app.test/x", "https:app.test", "/%2f%2fevil.test", "/a/..//b"} {
		f.Add(s)
	}
	base, _ := url.Parse("https://portico.test/auth/signin")
	f.Fuzz(func(t *testing.T, raw string) {
		got := targets.Check(raw).String()
		if got == "" {
			return
		}
		if got != raw {
			t.Fatalf("Check(%q) changed it to %q", raw, got)
		}
		u, err := base.Parse(raw)
		if err != nil {
			t.Fatalf("Check(%q) accepted what no parser reads", raw)
		}
		// A browser drops tabs and newlines and reads a backslash as a slash.
		if strings.ContainsAny(raw, "\\\t\r\n") || strings.HasPrefix(raw, "//") {
			t.Fatalf("Check(%q) accepted what a browser reads otherwise", raw)
		}
		host := u.Host
		if host != "portico.test" && host != "app.test" && host != "port.test:8443" && !strings.HasSuffix(host, ".apps.test") || u.Scheme != "https" || u.User != nil {
			t.Fatalf("Check(%q) leads to %s", raw, u)
		}
	})
}

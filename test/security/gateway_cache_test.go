package security

import (
	"fmt"
	"strings"
	"testing"

	"portico/internal/config"
)

// A cache in front of Portico answers without asking: what it keeps of an answer to a user, everybody can read. Most store
// what an app calls public, and many also what it says nothing about, by the end of the path.
func TestSEC505_NoSharedCacheKeepsTheAnswerToAUser(t *testing.T) {
	announce(t)
	t.Parallel()
	said := map[string][]string{
		"/nothing.pdf": nil,
		"/public":      {"Cache-Control: public, max-age=600, immutable"},
		"/shared":      {"Cache-Control: S-MaxAge=600 , max-age=0, must-revalidate", "Cache-Control: PUBLIC"},
		"/fields":      {`Cache-Control: private="X-A, max-age=1", no-cache="X-B, public", max-age=60, proxy-revalidate`},
		"/never":       {"Cache-Control: no-store"},
		"/cdn": {
			"Cache-Control: private", "cdn-cache-control: max-age=600", "Cloudflare-CDN-Cache-Control: max-age=600", "Surrogate-Control: max-age=600",
			"Edge-Control: cache-maxage=10m", "X-Accel-Expires: 600", "X-LiteSpeed-Cache-Control: public,max-age=600",
		},
	}
	answers := map[string]string{}
	for path, lines := range said {
		answers[path] = strings.Join(append([]string{"HTTP/1.1 200 OK", "Content-Length: 2"}, append(lines, "", "ok")...), "\r\n")
		answers["/open"+path] = answers[path]
	}
	app := hostileApp(t, answers)
	s := start(t, func(c *config.Config) {
		c.App.Upstream, c.App.Rules = app, []string{"public /open/*", "signed-in /*"}
	})
	v := s.visitor().register(fresh("v"))
	want := map[string]string{
		"/nothing.pdf": "private", "/public": "private, max-age=600, immutable", "/shared": "private, max-age=0, must-revalidate",
		"/fields": "private, no-cache, max-age=60", "/never": "private, no-store", "/cdn": "private",
	}
	for path := range said {
		for _, target := range []string{path, "/open" + path} {
			a := v.get(target).must(200)
			if got := a.header.Get("Cache-Control"); got != want[path] || len(a.header["Cache-Control"]) != 1 || a.body != "ok" {
				t.Errorf("%s for a user: %q, want %q", target, a.header["Cache-Control"], want[path])
			}
			for name := range a.header {
				if low := strings.ToLower(name); low != "cache-control" && strings.Contains(low, "cache-control") || low == "surrogate-control" || low == "edge-control" || low == "x-accel-expires" {
					t.Errorf("%s for a user: a cache is told %s", target, name)
				}
			}
		}
		anonymous := s.visitor().get("/open" + path).must(200)
		if got := fmt.Sprint(anonymous.header["Cache-Control"]); path == "/public" && got != "[public, max-age=600, immutable]" || path == "/nothing.pdf" && got != "[]" {
			t.Errorf("%s for nobody: %s", path, got)
		}
	}
}

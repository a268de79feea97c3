package proxies

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"portico/internal/config"
)

// SEC-361: with each configuration, an app that takes paths as they are sent gets
// them unchanged, and none that it could read as the page of administrators. The
// table of forward-auth.md says the same.
func TestPathsAsSent(t *testing.T) {
	t.Parallel()
	for name, proxy := range map[string]struct {
		settings string
		run      func(p *place, binary string) *exec.Cmd
	}{
		"nginx":   {"forward-auth.md", func(p *place, binary string) *exec.Cmd { return nginx(p.T, p, binary, "nginx.md") }},
		"caddy":   {"forward-auth.md", func(p *place, binary string) *exec.Cmd { return caddyOf(p, binary, page(p.T, "caddy.md", "caddyfile")) }},
		"haproxy": {"forward-auth.md", haproxy},
		"apache2": {"apache.md", func(p *place, binary string) *exec.Cmd {
			return apacheOf(p, binary, strings.Replace(page(p.T, "apache.md", "apache"), "SSLEngine on", "SSLEngine on\nAllowEncodedSlashes NoDecode", 1))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			binary := program(t, name)
			p := start(t, proxy.settings, func(p *place) *exec.Cmd { return proxy.run(p, binary) }, func(c *config.Config) {
				c.App.Paths = config.PathsAsSent
				for i := range c.Apps {
					c.Apps[i].Paths = config.PathsAsSent
				}
			})
			person, _ := p.person("mara@example.com")
			for _, target := range []string{"/app/queues/%2F/name", "/app/@scope%2fname", "/app/lib%2Fclass%2Erb?a=%2F", "/app/a;b=c/d", "/app/a%3bb", "/app/a//b"} {
				if e, ok := person.get(target, script...).echoed(); !ok || e.Target != target {
					t.Errorf("%s reaches the app as %q", target, e.Target)
				}
				if got := p.visitor().get(target, script...); got.status != http.StatusUnauthorized {
					t.Errorf("%s without a session: %d", target, got.status)
				}
			}
			pathTricks(t, p, person)
			checkClosed(t, p, person)
		})
	}
}

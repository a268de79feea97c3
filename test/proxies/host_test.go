package proxies

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/config"
)

// SEC-523: a client names the host of another app in Host than the one whose app gets the request. The rules of the app
// that gets it count.
func TestSEC523_HostOfAnotherApp(t *testing.T) {
	t.Parallel()
	for name, proxy := range map[string]struct {
		binary string
		run    func(p *place, binary, wiki string) *exec.Cmd // wiki is the address of the app at the second host
		both   bool                                          // whether the proxy serves both hosts
	}{
		"nginx": {"nginx", func(p *place, binary, _ string) *exec.Cmd { return nginx(p.T, p, binary, "nginx.md") }, false},
		"caddy": {"caddy", func(p *place, binary, _ string) *exec.Cmd {
			return caddyOf(p, binary, page(p.T, "caddy.md", "caddyfile"))
		}, false},
		"haproxy": {"haproxy", func(p *place, binary, _ string) *exec.Cmd { return haproxy(p, binary) }, false},
		"nginx, both": {"nginx", func(p *place, binary, wiki string) *exec.Cmd {
			conf := page(p.T, "nginx.md", "nginx")
			second := strings.NewReplacer("server_name example.com", "server_name wiki.example.com", "127.0.0.1:3000", wiki).Replace(conf[strings.Index(conf, "server {"):])
			return nginxOf(p.T, p, binary, conf+second)
		}, true},
		"haproxy, both": {"haproxy", func(p *place, binary, wiki string) *exec.Cmd {
			command, file := haproxy(p, binary), filepath.Join(p.dir, "haproxy.cfg")
			conf, one := p.local(page(p.T, "haproxy.md", "haproxy")), "    http-request return status 421 unless example\n    http-request set-header Host example.com\n"
			first := "    acl example req.fhdr(host),host_only -i example.com\n"
			conf = insert(p.T, strings.Replace(conf, one, "", 1), first, strings.TrimPrefix(page(p.T, "haproxy.md", "haproxy-hosts"), first))
			p.write(file, insert(p.T, conf, "    use_backend portico if portico\n", "    use_backend wiki if wiki\n")+"\nbackend wiki\n    server wiki "+wiki+"\n")
			return command
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			binary, wiki := program(t, proxy.binary), newEchoApp(t)
			p := start(t, "forward-auth.md", func(p *place) *exec.Cmd { return proxy.run(p, binary, wiki.addr) }, func(c *config.Config) {
				c.Apps = append(c.Apps, config.App{Name: "wiki", Host: "wiki.example.com", Path: "/", Rules: []string{"public /*"}, Key: "app.2"})
			})
			v := p.visitor()
			for _, v.host = range []string{"wiki.example.com", "wiki.example.com:443", "Wiki.Example.com", "wiki.example.com,example.com", "example.com,wiki.example.com", "example.com\r\nHost: wiki.example.com"} {
				for _, target := range []string{"/admin/x", "https://example.com/admin/x", "https://wiki.example.com/admin/x"} {
					if got := v.get(target, script...); len(p.app.requests()) > 0 {
						t.Errorf("%s with Host: %s reaches the app: %d", target, v.host, got.status)
					}
				}
			}
			if v.host = "EXAMPLE.com:443"; proxy.binary != "caddy" {
				if e, ok := v.get("/public/x", script...).echoed(); !ok || e.Host != "example.com" || len(p.app.requests()) != 1 {
					t.Errorf("a request that spells the host as %s: %+v", v.host, e)
				}
			}
			wiki.requests()
			v.host = "wiki.example.com"
			if e, ok := v.get("/page", script...).echoed(); proxy.both && (!ok || e.Host != v.host || len(wiki.requests()) != 1) {
				t.Errorf("the app of the second host gets %+v", e)
			}
		})
	}
}

package proxies

import (
	"os/exec"
	"strings"
	"testing"
)

// Two people use one browser, and the app believes its own cookie. The lines of
// user-change.md make the proxy delete that cookie when the user changes.

func TestNginx_UserChange(t *testing.T) {
	t.Parallel()
	binary := program(t, "nginx")
	userChange(t, start(t, "forward-auth.md", func(p *place) *exec.Cmd {
		conf := page(t, "user-change.md", "nginx") + insert(t, page(t, "nginx.md", "nginx"), "    location /auth/ {\n", page(t, "user-change.md", "nginx-auth"))
		return nginxOf(t, p, binary, conf)
	}))
}

func TestCaddy_UserChange(t *testing.T) {
	t.Parallel()
	binary := program(t, "caddy")
	userChange(t, start(t, "forward-auth.md", func(p *place) *exec.Cmd {
		return caddyOf(p, binary, insert(t, page(t, "caddy.md", "caddyfile"), "\thandle @portico {\n", page(t, "user-change.md", "caddyfile-auth")))
	}))
}

// insert puts lines after a line of a configuration.
func insert(t *testing.T, conf, after, lines string) string {
	t.Helper()
	if strings.Count(conf, after) != 1 {
		t.Fatalf("the configuration has not one line %q", after)
	}
	return strings.Replace(conf, after, after+lines, 1)
}

func userChange(t *testing.T, p *place) {
	p.person("mara@example.com")
	p.person("noah@example.com")
	for name, leave := range map[string]func(v *visitor){
		"signed out": func(v *visitor) {
			v.do("POST", "/auth/signout", "", append([]string{"Origin: " + origin, "Content-Type: application/x-www-form-urlencoded"}, navigation...)...)
		},
		"over the first": func(*visitor) {},
	} {
		v := p.visitor()
		v.signIn("mara@example.com", "/app/me")
		for range 2 {
			if got := v.get("/app/me", navigation...); got.body != "you are mara@example.com" {
				t.Fatalf("%s: the first person is told %d %q", name, got.status, got.body)
			}
		}
		if v.get("/auth/signin", navigation...); v.cookies["app_session"] == "" {
			t.Errorf("%s: a look at the sign-in page has deleted the cookie of the app", name)
		}
		leave(v)
		v.signIn("noah@example.com", "/app/me")
		if got := v.get("/app/me", navigation...); got.body != "you are noah@example.com" {
			t.Errorf("%s: the second person is told %d %q", name, got.status, got.body)
		}
	}
}

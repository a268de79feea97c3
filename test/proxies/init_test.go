package proxies

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The file that `portico init` writes for a proxy takes a visitor through a
// sign-in and back.
func TestInit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file string
		run  func(t *testing.T, p *place, text string) *exec.Cmd
	}{
		"nginx": {"portico.nginx.conf", func(t *testing.T, p *place, text string) *exec.Cmd { return nginxOf(t, p, program(t, "nginx"), text) }},
		"caddy": {"portico.Caddyfile", func(t *testing.T, p *place, text string) *exec.Cmd { return caddyOf(p, program(t, "caddy"), text) }},
		"haproxy": {"portico.haproxy.cfg", func(t *testing.T, p *place, text string) *exec.Cmd {
			return exec.Command(program(t, "haproxy"), "-db", "-f", p.write(filepath.Join(p.dir, "haproxy.cfg"), p.local(text)))
		}},
		"apache": {"portico.apache.conf", func(t *testing.T, p *place, text string) *exec.Cmd {
			return apacheOf(p, program(t, "apache2"), "Listen 443\n"+text) // Debian's ports.conf has this line
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "apache.md", func(p *place) *exec.Cmd { return test.run(t, p, written(t, name, test.file)) })
			admin, id := p.person("admin@example.com", "admin", "editor")
			roundTrip(t, p, admin, id)
		})
	}
}

// written runs `portico init` in a new folder and returns the file for the proxy.
func written(t *testing.T, proxy, file string) string {
	t.Helper()
	binary, err := filepath.Abs("../../bin/portico")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "init", "--public-url", origin, "--smtp-url", "smtp://mail.example.com:587",
		"--mail-from", "a@example.com", "--admin", "admin@example.com", "--proxy", proxy)
	command.Dir = t.TempDir()
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PORTICO_") }) // settings of the tests
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("portico init: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(command.Dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

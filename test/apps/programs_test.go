package apps

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program builds an app of the module programs. That takes minutes, so only
// PORTICO_TESTS=full does so.
func program(t *testing.T, pkg string) string {
	t.Helper()
	if os.Getenv("PORTICO_TESTS") != "full" {
		t.Skip("make conformance builds this app")
	}
	path := filepath.Join(t.TempDir(), "app")
	build := exec.Command("go", "build", "-o", path, pkg)
	build.Dir = "programs"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// preset returns the settings that portico prints for an app, and what it says to set
// in the environment of the app.
func preset(t *testing.T, p *portico, name, address string) (block string, environ []string) {
	t.Helper()
	out, err := p.command("client", "add", "--preset", name, address).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if variable, ok := strings.CutPrefix(line, "#   "); ok {
			environ = append(environ, strings.TrimSpace(variable))
		}
	}
	return string(out), environ
}

// A feed reader with its own database, set up as its preset says.
func TestMiniflux(t *testing.T) {
	t.Parallel()
	path := program(t, "miniflux.app/v2")
	server := os.Getenv("PORTICO_TEST_POSTGRES")
	if server == "" {
		t.Fatal("no PostgreSQL: run this with tools/postgres run --")
	}
	port := freePort(t)
	here := "http://127.0.0.1:" + port
	p := prepare(t)
	block, environ := preset(t, p, "miniflux", here)
	p.serve(block)
	var log buffer
	miniflux := exec.Command(path)
	miniflux.Env = append(os.Environ(), "DATABASE_URL="+server, "RUN_MIGRATIONS=1", "CREATE_ADMIN=0", "LISTEN_ADDR=127.0.0.1:"+port, "BASE_URL="+here, "DISABLE_SCHEDULER_SERVICE=1")
	miniflux.Env = append(miniflux.Env, environ...)
	miniflux.Stdout, miniflux.Stderr = &log, &log
	run(t, miniflux)
	await(t, here+"/healthcheck", &log)
	v := newVisitor(t)
	text := v.sees(here+"/oauth2/oidc/redirect", "/logout")
	if !strings.Contains(text, "/unread") || v.signed != 1 {
		t.Errorf("%d passwords, and then:\n%.1000s\n%s", v.signed, text, fmt.Sprint(&log))
	}
}

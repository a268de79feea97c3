package app

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/pages"
	"portico/internal/server"
)

// routes notes the patterns of all handlers.
type routes struct{ patterns func() []string }

func (r *routes) Mount(m *server.Mux) { r.patterns = m.Patterns }

// The scripts of the screens name only paths that the server has.
func TestScreens_NamePathsOfTheServer(t *testing.T) {
	t.Parallel()
	var mounted routes
	cfg := settings(t, t.TempDir())
	cfg.SMTPURL, cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@x.test"
	cfg.Clients = []config.Client{device("tv", "client.1")} // whose pages are mounted only then
	a := open(t, cfg, Options{Dist: dist(), Routes: []server.Routes{&mounted}})
	t.Cleanup(func() { _ = a.Close() })
	if _, err := a.public(a.live.Load(), handlers{}); err != nil {
		t.Fatal(err)
	}
	var served []string
	for _, pattern := range mounted.patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		served = append(served, path)
	}
	named := regexp.MustCompile("['\"`](/auth/[A-Za-z0-9/_-]*)")
	source, found := os.DirFS("../../web/src"), 0
	err := fs.WalkDir(source, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".ts") && !strings.HasSuffix(name, ".tsx") || strings.Contains(name, ".test.") {
			return err
		}
		text, err := fs.ReadFile(source, name)
		for _, match := range named.FindAllSubmatch(text, -1) {
			path := string(match[1])
			found++
			// A path that ends with a slash is the beginning of others.
			if !slices.ContainsFunc(served, func(s string) bool {
				place, isPlace := strings.CutPrefix(path, pages.Admin+"/") // one handler has all of them
				return s == path || strings.HasSuffix(path, "/") && strings.HasPrefix(s, path) ||
					isPlace && s == pages.Admin+"/{place}" && !strings.Contains(place, "/")
			}) {
				t.Errorf("web/src/%s names the path %s, which no handler has", name, path)
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d paths found, %v", found, err)
	}
}

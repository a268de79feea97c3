package proxies

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/dev"
	"portico/web"
)

// The files for pytest on the page about tests pass in front of an app, and fail when the app lets everybody in. Without
// Portico they say in one line what to start.
func TestPytest(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(web.Dist, "documents/manifest.json"); err != nil {
		t.Skip("the screens are not built")
	}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello, "+r.Header.Get("X-Portico-Email"))
	}))
	defer app.Close()
	text, err := os.ReadFile("../../docs/integrating/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	for rules, want := range map[string]string{
		"role:admin /admin/*, signed-in /*": "3 passed", "signed-in /*": "1 failed, 2 passed",
		"": "Exit: http://localhost:1 does not answer: start your app and `portico dev` first !",
	} {
		folder, origin := t.TempDir(), "http://localhost:1"
		if rules != "" {
			origin = trial(t, "PORTICO_UPSTREAM="+app.URL, "PORTICO_RULES="+rules)
		}
		for _, block := range regexp.MustCompile("(?ms)^```python\n# (\\S+)\n(.*?)^```$").FindAllSubmatch(text, -1) {
			content := strings.Replace(string(block[2]), "http://localhost:8080", origin, 1)
			if err := os.WriteFile(filepath.Join(folder, string(block[1])), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		run := pythonOf(t, "pytest", "-m", "pytest", "-p", "no:cacheprovider", folder)
		if out, _ := run.CombinedOutput(); !strings.Contains(string(out), want) { // it fails when a test does
			t.Errorf("with the rules %s, %s is expected:\n%s", rules, want, out)
		}
	}
}

// trial runs `portico dev` until the test ends, and returns its origin.
func trial(t *testing.T, environ ...string) (origin string) {
	t.Helper()
	folder := t.TempDir()
	cfg, err := config.Load("", append([]string{
		"PORTICO_LISTEN=127.0.0.1:0", "PORTICO_DATABASE_URL=sqlite:" + filepath.Join(folder, "p.db"), "PORTICO_SECRET_FILE=" + filepath.Join(folder, "key"),
	}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := dev.Run(ctx, cfg, dev.Options{}, slog.New(slog.DiscardHandler), write)
		_ = write.Close()
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for lines := bufio.NewScanner(read); origin == "" && lines.Scan(); {
		origin = regexp.MustCompile(`http://localhost:\d+`).FindString(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, read) }() // the rest
	return origin
}

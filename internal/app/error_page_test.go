package app

import (
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"testing"

	"portico/internal/config"
	"portico/web"
)

// At the host of an app, every asset that an error page names is served.
func TestErrorPage_AssetsAtTheHostOfAnApp(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(web.Dist, "documents/manifest.json"); err != nil {
		t.Skip("the screens are not built")
	}
	cfg := settings(t, t.TempDir())
	cfg.Apps = []config.App{{Name: "wiki", Host: "wiki.test", Path: "/", Rules: []string{"public /open"}, Key: "app.1"}}
	a := open(t, cfg, Options{})
	defer a.end(t)
	r := run(t, a)
	r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	ask := func(path, mode, dest string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), "GET", r.public+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "wiki.test"
		request.Header.Set("Accept", "text/html")
		request.Header.Set("Sec-Fetch-Mode", mode)
		request.Header.Set("Sec-Fetch-Dest", dest)
		answer, err := r.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	status, page := ask("/closed", "navigate", "document")
	assets := regexp.MustCompile(`/auth/assets/[^"]+`).FindAllString(page, -1)
	if status != http.StatusForbidden || len(assets) == 0 {
		t.Fatalf("the error page has the status %d and names %q", status, assets)
	}
	for _, path := range assets {
		if status, _ := ask(path, "cors", "script"); status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, _ := ask("/auth/assets/missing.js", "cors", "script"); status != http.StatusNotFound {
		t.Errorf("a missing asset: %d", status)
	}
	r.stop()
	<-r.stopped
}

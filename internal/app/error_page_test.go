package app

import (
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"portico/internal/config"
	"portico/internal/pages"
	"portico/web"
)

// At the host of an app, every asset that an error page names is served, and its language menu works for that host alone.
func TestErrorPage_AtTheHostOfAnApp(t *testing.T) {
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
	ask := func(method, path, form string, headers ...string) (*http.Response, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, r.public+path, strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "wiki.test"
		for _, line := range append(headers, "Accept: text/html", "Content-Type: application/x-www-form-urlencoded") {
			name, value, _ := strings.Cut(line, ": ")
			request.Header.Set(name, value)
		}
		answer, err := r.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(body)
	}
	answer, page := ask("GET", "/closed", "", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document")
	assets := regexp.MustCompile(`/auth/assets/[^"]+`).FindAllString(page, -1)
	if answer.StatusCode != http.StatusForbidden || len(assets) == 0 {
		t.Fatalf("the error page has the status %d and names %q", answer.StatusCode, assets)
	}
	for _, path := range assets {
		if answer, _ := ask("GET", path, "", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: script"); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	if answer, _ := ask("GET", "/auth/assets/missing.js", "", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: script"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("a missing asset: %d", answer.StatusCode)
	}
	for origin, want := range map[string]int{
		"http://wiki.test": http.StatusSeeOther, "https://wiki.test": http.StatusForbidden, r.public: http.StatusForbidden, "http://blog.test": http.StatusForbidden,
	} {
		answer, _ := ask("POST", pages.Language, "locale=de&to=/closed", "Origin: "+origin)
		chosen := strings.HasPrefix(answer.Header.Get("Set-Cookie"), "portico-locale=de;") && answer.Header.Get("Location") == "/closed"
		if answer.StatusCode != want || chosen != (want == http.StatusSeeOther) {
			t.Errorf("the menu on a page of %s: %d %v", origin, answer.StatusCode, answer.Header)
		}
	}
	r.stop()
	<-r.stopped
}

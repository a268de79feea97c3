package dev_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The gallery frames every state in both schemes, with the brand and the texts of
// the configuration.
func TestRun_Gallery(t *testing.T) {
	t.Parallel()
	texts := t.TempDir()
	if err := os.WriteFile(filepath.Join(texts, "de.json"), []byte(`{"signin.submit": "Hinein <b>"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, stop, err := start(t, settings(t, t.TempDir(), "PORTICO_BRAND_COLOUR=#0b6e42", "PORTICO_BRAND_NAME=Acme", "PORTICO_TEXTS="+texts))
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	origin := regexp.MustCompile(`http://localhost:\d+`).FindString(printed)
	get := func(path string) (string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s is answered %d, %v: %s", path, answer.StatusCode, err, body)
		}
		return string(body), answer.Header
	}
	index, _ := get("/dev/screens")
	screens := regexp.MustCompile(`href="(\?screen=[\w-]+)&amp;locale=en"`).FindAllStringSubmatch(index, -1)
	for _, want := range []string{"<h2>Account</h2>", ">Forgot password</a>", "<title>Tokens and components · Screens</title>"} {
		if !strings.Contains(index, want) {
			t.Errorf("the gallery has no %s", want)
		}
	}
	if len(screens) < 10 {
		t.Fatalf("the gallery has only %d screens: %s", len(screens), index)
	}
	for _, screen := range screens {
		page, _ := get("/dev/screens" + screen[1])
		frames := regexp.MustCompile(`src="(/dev/screens/[^"]+)"`).FindAllStringSubmatch(page, -1)
		if len(frames) == 0 || len(frames)%4 != 0 {
			t.Errorf("%s has %d frames", screen[1], len(frames))
		}
		for _, frame := range frames {
			state, header := get(frame[1])
			scheme, language, _ := strings.Cut(frame[1][strings.LastIndexByte(frame[1], '/')+1:], "?")
			if language != "locale=en" || !strings.Contains(state, `<html lang="en">`) {
				t.Errorf("%s is not in English", frame[1])
			}
			named := strings.Contains(state, "Acme") || strings.Contains(frame[1], "/signin/") || strings.Contains(frame[1], "/components/")
			if !named || !strings.Contains(state, `content="`+scheme+`"`) || !strings.Contains(state, "--gradient:") {
				t.Errorf("%s is not in the brand", frame[1])
			}
			if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'self'") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s has the policy %s", frame[1], policy)
			}
		}
	}
	if part, _ := get("/dev/screens/components/account/dark"); !strings.Contains(part, `class="page account"`) || !strings.Contains(part, "button-secondary") || !strings.Contains(part, "--accent") {
		t.Error("the page of components has no components of the account, or no tokens")
	}
	if part, _ := get("/dev/screens/account-sessions/several/light?locale=de"); !strings.Contains(part, "4. Mai 2026") {
		t.Error("the texts of the server are not in German")
	}
	german, _ := get("/dev/screens?screen=signin&locale=de")
	frame := regexp.MustCompile(`src="(/dev/screens/[^"]+locale=de)"`).FindStringSubmatch(german)
	if frame == nil {
		t.Fatal("no state is in German")
	}
	if state, _ := get(frame[1]); !strings.Contains(state, "Hinein &lt;b&gt;") {
		t.Error("the gallery does not show the texts of the operator")
	}
	page, _ := get("/auth/signin")
	if !strings.Contains(page, `src="/auth/brand/`) {
		t.Error("the stand-in provider has no icon of its own")
	}
}

package screens_test

import (
	"crypto/sha256"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
)

// The files of the brand are served under names that change with their content.
// Its style is allowed by its hash alone.
func TestBrand(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 1"><path d="M0 0h3v1z"></path></svg>`
	v := visit(apptest.Start(t, func(c *config.Config) {
		c.Brand.Colour, c.Brand.Scheme = "#0b6e42", "auto"
		c.Brand.Logo = write("logo.svg", drawing)
		c.Brand.LogoDark = write("dark.svg", `<svg viewBox="0 0 3 1"/>`)
		c.Providers = []config.Provider{{
			ID: "corp", Preset: "openid", Issuer: "https://id.x.test", Name: "Corp", ClientID: "a", ClientSecret: "b", Icon: write("corp.svg", `<svg viewBox="0 0 1 1"/>`),
		}}
	}))
	page := v.Open("/auth/signin")
	policy := page.Header.Get("Content-Security-Policy")
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page.Body)
	if style == nil || !strings.Contains(style[1], "--accent:#0b6e42;") || !strings.Contains(page.Body, `<meta name="color-scheme" content="light dark">`) {
		t.Fatalf("the page has the style %q", style)
	}
	sum := sha256.Sum256([]byte(style[1]))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy %s allows the style not by %s alone", policy, want)
	}
	boot := v.reads(page)
	dark := regexp.MustCompile(`url\("([^"]+)"\)`).FindStringSubmatch(style[1])
	for _, path := range []string{boot.Brand.Logo, dark[1], boot.Providers[0].Picture} {
		got := v.Open(path)
		if got.StatusCode != 200 || got.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s is answered %d with %v", path, got.StatusCode, got.Header)
		}
	}
	if got := v.Open(boot.Brand.Logo); got.Body != drawing {
		t.Errorf("the logo is %s", got.Body)
	}
	if boot.Providers[0].Icon != "" {
		t.Errorf("the provider has two icons: %+v", boot.Providers[0])
	}
	if got := v.Open("/auth/brand/other.svg"); got.StatusCode != 404 {
		t.Errorf("a file that is not there is answered %d", got.StatusCode)
	}
}

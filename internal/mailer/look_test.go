package mailer

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/brand"
)

// An email has the colors of the brand and carries its logo. A logo that mail
// programs cannot show is left out.
func TestRender_Brand(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 300, 100))); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	logo, drawing := write("logo.png", picture.Bytes()), write("logo.svg", []byte(`<svg viewBox="0 0 3 1"/>`))
	look := func(s brand.Settings) func(*Config) {
		made, wrong := brand.New(s)
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		return func(c *Config) { c.Look = made.Mail() }
	}
	green := brand.Settings{Colour: "#0b5d3b", Gradient: []string{"#2f8f5b", "#0b5d3b"}, Radius: 4, Logo: logo, LogoDark: logo}
	m := newMailer(t, look(green))
	env, err := m.compose(message("verify-address", "en"))
	if err != nil {
		t.Fatal(err)
	}
	written, err := m.Render(message("verify-address", "en"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`linear-gradient(135deg,#2f8f5b,#0b5d3b)`, `border-radius:4px`, `<img class="lit" src="cid:logo@portico" alt="Portico" width="84" height="28"`, `src="cid:logo-dark@portico"`,
	} {
		if !strings.Contains(written.HTML, want) {
			t.Errorf("the email lacks %s", want)
		}
	}
	for _, not := range []string{"#1a4ab8", "#03b4f6", "#1565c8", "ZgotmplZ"} {
		if strings.Contains(written.HTML, not) {
			t.Errorf("the email has %s", not)
		}
	}
	kept := strings.ReplaceAll(string(env.content), "\r\n", "")
	if got := strings.Count(kept, base64.StdEncoding.EncodeToString(picture.Bytes())); got != 2 || !strings.Contains(kept, "Content-Id: <logo-dark@portico>") {
		t.Errorf("the email carries %d logos", got)
	}
	checkWire(t, string(env.content))

	// White has 4.5:1 only on the color, and a mail button's label is small.
	pale := newMailer(t, look(brand.Settings{Colour: "#0b5d3b", Gradient: []string{"#3f9f6b", "#0b5d3b"}, Logo: drawing}))
	written, err = pale.Render(message("verify-address", "en"))
	if err != nil || !strings.Contains(written.HTML, "linear-gradient(135deg,#0b5d3b,#0b5d3b)") || strings.Contains(written.HTML, "<img") {
		t.Errorf("%v, the email has a pale button or an SVG: %s", err, written.HTML)
	}
}

package brand

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func theme(t *testing.T, s Settings) *Theme {
	t.Helper()
	if s.Radius == 0 {
		s.Radius = DefaultRadius
	}
	made, wrong := New(s)
	if len(wrong) > 0 {
		t.Fatalf("%+v: %v", s, wrong)
	}
	return made
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The light tokens of this package are the tokens of the style sheet.
func TestDefaults(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../../web/src/ui/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	a := light(hex(blue))
	for name, want := range map[string]string{
		"accent": blue, "accent-strong": a.strong.Hex(), "accent-tint": a.tint.Hex(), "accent-line": a.line.Hex(),
		"gradient": "linear-gradient(135deg, " + blueFrom + ", " + blue + ")",
		"label":    "#fff", "text": ink, "page": page, "card": "#fff", "radius": fmt.Sprintf("%grem", DefaultRadius/16.0),
	} {
		if !strings.Contains(string(css), "--"+name+": "+want+";") {
			t.Errorf("tokens.css has not --%s: %s", name, want)
		}
	}
	// Every color of the light scheme has one in the dark scheme.
	night := theme(t, Settings{Scheme: Dark}).styles
	for _, m := range regexp.MustCompile(`(?m)^  --([a-z-]+): #`).FindAllStringSubmatch(string(css), -1) {
		if m[1] != "label" && !strings.Contains(night, "--"+m[1]+":#") {
			t.Errorf("the dark scheme has no --%s", m[1])
		}
	}
	if head := Default().Head(); head != `<meta name="color-scheme" content="light">` || Default().StyleHash() != "" {
		t.Errorf("the default changes the page: %s", head)
	}
}

// Whatever color is accepted, every text that it touches can be read, and what is
// proposed for a refused one is accepted.
func TestColoursCanBeRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		pick := rapid.StringMatching(`#[0-9a-f]{6}`)
		s := Settings{Colour: pick.Draw(r, "colour"), Radius: DefaultRadius}
		if rapid.Bool().Draw(r, "gradient") {
			s.Gradient = []string{pick.Draw(r, "from"), pick.Draw(r, "to")}
		}
		made, wrong := New(s)
		for range 3 { // a color and two stops
			for _, m := range wrong {
				proposed := regexp.MustCompile(`#[0-9a-f]{6}`).FindString(m.Write)
				if m.Key == "colour" {
					s.Colour = proposed
				} else if bad := regexp.MustCompile(`#[0-9a-f]{6}`).FindString(m.Why); bad == s.Gradient[0] {
					s.Gradient[0] = proposed
				} else {
					s.Gradient[1] = proposed
				}
			}
			made, wrong = New(s)
		}
		if len(wrong) > 0 {
			r.Fatalf("what is proposed is refused: %+v %v", s, wrong)
		}
		for scheme, a := range map[string]accents{Light: light(made.colour), Dark: dark(made.colour)} {
			grounds := []colour{hex(card), hex(page), a.tint}
			if scheme == Dark {
				grounds = []colour{hex(darkCard), hex(darkPage), a.tint}
			}
			for name, c := range map[string]colour{"text": a.text, "strong": a.strong} {
				if got := least(c, grounds...); got < readable {
					r.Fatalf("%s: %s %s of %s has %s", scheme, name, c.Hex(), made.colour.Hex(), ratio(got))
				}
			}
			if text := map[string]string{Light: ink, Dark: "#eef1f6"}[scheme]; contrast(hex(text), a.tint) < readable {
				r.Fatalf("%s: text on the tint of %s", scheme, made.colour.Hex())
			}
		}
		if !made.gradient.specified() && made.gradient.least(made.label) < large {
			r.Fatalf("the label has %s on %v", ratio(made.gradient.least(made.label)), made.gradient)
		}
	})
}

// The tokens that no brand changes, in both schemes.
func TestNeutralsCanBeRead(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("../../web/src/ui/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	for scheme, text := range map[string]string{Light: string(css), Dark: neutrals} {
		token := func(name string) colour {
			m := regexp.MustCompile(`--` + name + `: ?(#[0-9a-f]+)`).FindStringSubmatch(text)
			if m == nil {
				t.Fatalf("%s: no --%s", scheme, name)
			}
			return hex(m[1])
		}
		for _, pair := range []struct {
			text, ground string
			least        float64
		}{
			{"text", "page", readable}, {"text", "card", readable}, {"text", "raised", readable}, {"text", "danger-tint", readable}, {"text", "success-tint", readable},
			{"muted", "card", readable}, {"muted", "page", readable}, {"placeholder", "card", readable},
			{"danger", "card", readable}, {"danger-text", "danger-tint", readable}, {"danger-text", "card", readable}, {"card", "danger", readable},
			{"success", "card", readable}, {"success", "success-tint", readable},
			{"field-line", "card", large}, {"warning", "card", large}, {"danger", "card", large},
		} {
			if got := contrast(token(pair.text), token(pair.ground)); got < pair.least {
				t.Errorf("%s: --%s on --%s has %s, needs %g:1", scheme, pair.text, pair.ground, ratio(got), pair.least)
			}
		}
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	big := writeFile(t, "big.png", "\x89PNG\r\n\x1a\n"+strings.Repeat("x", maxLogo))
	for name, c := range map[string]struct {
		s          Settings
		key        string
		why, write string
	}{
		"pale":           {Settings{Colour: "#ffcc00"}, "colour", "links in #ffcc00 have only 1.", "write #"},
		"no color":       {Settings{Colour: "green"}, "colour", "is not a color", "six digits"},
		"markup":         {Settings{Colour: "#fff}</style><script>"}, "colour", "is not a color", "six digits"},
		"pale stop":      {Settings{Gradient: []string{"#ffee00", "#101060"}}, "gradient", "1.20:1 on #ffee00", "the nearest that passes"},
		"one stop":       {Settings{Gradient: []string{"#101060"}}, "gradient", "not two colors", "the first and the last"},
		"big logo":       {Settings{Logo: big}, "logo", "bytes", "at most 262144"},
		"icon as WebP":   {Settings{Favicon: writeFile(t, "i.webp", "RIFFxxxxWEBPVP8 ")}, "favicon", "damaged", "save it again"},
		"absent":         {Settings{Logo: "/nonexistent.png"}, "logo", "/nonexistent.png cannot be read", "write the path"},
		"script":         {Settings{Logo: writeFile(t, "a.svg", `<svg viewBox="0 0 1 1"><script/></svg>`)}, "logo", "<script>", "remove it"},
		"dark logo only": {Settings{LogoDark: writeFile(t, "b.svg", `<svg viewBox="0 0 1 1"/>`)}, "logo_dark", "no brand.logo", "write brand.logo"},
		"no font":        {Settings{Font: writeFile(t, "a.woff2", "OTTO")}, "font", "is not a WOFF2 font", "convert it"},
		"broken font":    {Settings{Font: writeFile(t, "b.woff2", "wOF2"+strings.Repeat("\x00\x01", 40))}, "font", "damaged", "convert it"},
	} {
		made, wrong := New(c.s)
		if made != nil || len(wrong) != 1 || wrong[0].Key != c.key || !strings.Contains(wrong[0].Why, c.why) || !strings.Contains(wrong[0].Write, c.write) {
			t.Errorf("%s: got %v", name, wrong)
		}
	}
}

// A pale gradient gets a dark label, and the gradient of the specification changes
// nothing.
func TestNew_Accepts(t *testing.T) {
	t.Parallel()
	if got := theme(t, Settings{Colour: "#7a5b00", Gradient: []string{"#ffd500", "#ffb000"}}); got.label != hex(ink) || !strings.Contains(got.styles, "--word:linear-gradient(var(--accent)") {
		t.Errorf("the label is %s in %s", got.label.Hex(), got.styles)
	}
	if got := theme(t, Settings{Gradient: []string{"#03B4F6", "#1A4AB8"}}); got.styles != "" {
		t.Errorf("the gradient of the specification, written out, changes the page: %s", got.styles)
	}
	svg := writeFile(t, "a.svg", `<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>`)
	night := writeFile(t, "b.svg", `<svg viewBox="0 0 2 2"/>`)
	for scheme, want := range map[string]string{Light: "light", Dark: "dark", Auto: "auto"} {
		got := theme(t, Settings{Scheme: scheme, Logo: svg, LogoDark: night, Favicon: svg})
		if shown := got.Shown() == got.LogoDark; shown != (scheme == Dark) {
			t.Errorf("%s: the page shows the dark logo: %v", want, shown)
		}
		if later := strings.Contains(got.styles, got.LogoDark.Path); later != (scheme == Auto) {
			t.Errorf("%s: the style names the dark logo: %v", want, later)
		}
		if len(got.Files()) != 3 || got.Values()["icon"] != got.Icon.Path {
			t.Errorf("%s: files %v", want, got.Files())
		}
	}
}

func TestFont(t *testing.T) {
	t.Parallel()
	got := theme(t, Settings{Font: "testdata/quicksand.woff2"})
	if f := got.Font; f.weights != "400" || f.adjust < 0.9 || f.adjust > 1.2 || f.ascent < 0.7 || f.descent < 0.1 {
		t.Errorf("got %+v", f)
	}
	for _, want := range []string{got.Font.file.Path, "font-display:swap", "size-adjust:", "--font:Brand,Stand-in"} {
		if !strings.Contains(got.styles, want) {
			t.Errorf("the style lacks %s: %s", want, got.styles)
		}
	}
}

// FuzzFont: no file makes the reader of fonts fail in an unforeseen way.
func FuzzFont(f *testing.F) {
	real, err := os.ReadFile("testdata/quicksand.woff2")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(real)
	f.Add([]byte("wOF2"))
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = parseFont(data) })
}

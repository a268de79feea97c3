package brand

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"portico/internal/pages"
	"portico/internal/picture"
)

// Schemes.
const (
	Light = "light"
	Dark  = "dark"
	Auto  = "auto" // what the visitor's system is set to
)

// Limits of the operator's files, in bytes. Each visitor loads them.
const (
	maxLogo = 256 << 10
	maxIcon = 64 << 10
)

// Settings are the operator's choices. The zero value of each is the default.
type Settings struct {
	Colour   string   // "#rrggbb"
	Gradient []string // two colors
	Radius   int      // in pixels at the normal text size
	Scheme   string

	// paths of files
	Logo, LogoDark, Favicon, Font string
}

// Mistake is a setting that cannot be used. Why and Write follow its key.
type Mistake struct{ Key, Why, Write string }

// Theme is a checked brand. It is immutable and safe for concurrent use.
type Theme struct {
	Logo, LogoDark, Icon *File // nil without one
	Font                 *Font

	colour   colour
	gradient gradient
	label    colour
	radius   int
	scheme   string
	styles   string
}

// File is a file of the operator that browsers load.
type File struct {
	Path string // its URL path, which changes with its content
	Type string
	Data []byte

	Height int // of a PNG or WebP, in pixels
	Width  int
}

var colourForm = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Default returns the theme of an installation without settings.
func Default() *Theme {
	t, _ := New(Settings{Radius: DefaultRadius})
	return t
}

// New checks the settings and reads the files. It returns all mistakes, and a
// Theme only if there are none.
func New(s Settings) (*Theme, []Mistake) {
	var all []Mistake
	add := func(key, why, write string) { all = append(all, Mistake{key, why, write}) }
	t := &Theme{radius: s.Radius, scheme: s.Scheme, colour: hex(blue), gradient: gradient{hex(blueFrom), hex(blue)}}
	for _, c := range append([]string{s.Colour}, s.Gradient...) {
		if c != "" && !colourForm.MatchString(c) {
			add("colour", fmt.Sprintf("%q is not a color", c), `write six digits, such as "#0b6e42"`)
		}
	}
	if len(s.Gradient) != 0 && len(s.Gradient) != 2 {
		add("gradient", "it has not two colors", `write the first and the last, such as ["#03b4f6", "#1a4ab8"]`)
	}
	if len(all) == 0 {
		all = t.paint(s)
	}
	add = func(key, why, write string) { all = append(all, Mistake{key, why, write}) }
	open := func(key, path string, limit picture.Limit) *File {
		if path == "" {
			return nil
		}
		p, err := picture.Open(path, limit)
		if err != nil {
			why, write, _ := strings.Cut(err.Error(), ": ")
			add(key, path+" "+why, write)
			return nil
		}
		return picturePath(p)
	}
	logo := picture.Limit{Bytes: maxLogo, Types: []string{picture.PNG, picture.WebP, picture.SVG}}
	t.Logo, t.LogoDark = open("logo", s.Logo, logo), open("logo_dark", s.LogoDark, logo)
	t.Icon = open("favicon", s.Favicon, picture.Limit{Bytes: maxIcon, Types: []string{picture.PNG, picture.SVG}})
	if s.LogoDark != "" && s.Logo == "" {
		add("logo_dark", "there is no brand.logo that it replaces in the dark", "write brand.logo as well")
	}
	if s.Font != "" {
		font, err := openFont(s.Font)
		if err != nil {
			why, write, _ := strings.Cut(err.Error(), ": ")
			add("font", s.Font+" "+why, write)
		}
		t.Font = font
	}
	if len(all) > 0 {
		return nil, all
	}
	t.styles = t.style()
	return t, nil
}

// paint sets the colors, or returns what is wrong with them.
func (t *Theme) paint(s Settings) (all []Mistake) {
	if s.Colour != "" {
		t.colour = hex(s.Colour)
		if t.colour != hex(blue) {
			t.gradient = shade(t.colour)
		}
	}
	if len(s.Gradient) == 2 {
		t.gradient = gradient{hex(s.Gradient[0]), hex(s.Gradient[1])}
	}
	grounds := func(c colour) float64 { return least(c, hex(card), hex(page), light(c).tint) }
	if r := grounds(t.colour); r < readable {
		pass := nearest(t.colour, func(c colour) bool { return grounds(c) >= readable })
		all = append(all, Mistake{
			"colour", fmt.Sprintf("links in %s have only %s on the page and need 4.5:1", t.colour.Hex(), ratio(r)),
			fmt.Sprintf("write %s, the nearest that passes, or a darker one", pass.Hex()),
		})
	}
	if m := t.gradient.check(); m != nil && (s.Gradient != nil || len(all) == 0) {
		all = append(all, *m)
	}
	t.label, _ = t.gradient.label()
	return all
}

func picturePath(p *picture.Picture) *File {
	f := newFile(p.Type, p.Data)
	f.Width, f.Height = p.Width, p.Height
	return f
}

// NewPicture returns a picture of the operator as a file with a path.
func NewPicture(p *picture.Picture) *File { return picturePath(p) }

func newFile(kind string, data []byte) *File {
	endings := map[string]string{picture.PNG: ".png", picture.WebP: ".webp", picture.SVG: ".svg", woff2Type: ".woff2"}
	sum := sha256.Sum256(data)
	name := base64.RawURLEncoding.EncodeToString(sum[:12]) + endings[kind]
	return &File{Path: pages.Brand(name), Type: kind, Data: data}
}

// Files returns the files that browsers load, by the key of their setting.
func (t *Theme) Files() map[string]*File {
	all := map[string]*File{"logo": t.Logo, "logo_dark": t.LogoDark, "favicon": t.Icon}
	if t.Font != nil {
		all["font"] = t.Font.file
	}
	maps.DeleteFunc(all, func(_ string, f *File) bool { return f == nil })
	return all
}

// Shown returns the logo that a page shows first: in the dark scheme that for
// dark ground. It returns nil if the name is shown.
func (t *Theme) Shown() *File {
	if t.scheme == Dark && t.LogoDark != nil {
		return t.LogoDark
	}
	return t.Logo
}

// Head returns the markup in the head of a page, after its style.
func (t *Theme) Head() string {
	meta := func(name, content, media string) string {
		if media != "" {
			media = ` media="(prefers-color-scheme:` + media + `)"`
		}
		return `<meta name="` + name + `" content="` + content + `"` + media + `>`
	}
	var head strings.Builder
	own := t.colour != hex(blue)
	switch t.scheme {
	case Dark:
		head.WriteString(meta("color-scheme", "dark", "") + meta("theme-color", darkPage, ""))
	case Auto:
		bright := page
		if own {
			bright = t.colour.Hex()
		}
		head.WriteString(meta("color-scheme", "light dark", "") + meta("theme-color", bright, Light) + meta("theme-color", darkPage, Dark))
	default:
		head.WriteString(meta("color-scheme", "light", ""))
		if own {
			head.WriteString(meta("theme-color", t.colour.Hex(), ""))
		}
	}
	if t.styles != "" {
		head.WriteString("<style>" + t.styles + "</style>")
	}
	return head.String()
}

// StyleHash returns the source expression of a content security policy that
// allows the style in Head, "" if there is none.
func (t *Theme) StyleHash() string {
	if t.styles == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(t.styles))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Values returns what a document's template takes: the head, and for the icon its
// path or the colors of the icon that Portico draws.
func (t *Theme) Values() map[string]string {
	icon := ""
	if t.Icon != nil {
		icon = t.Icon.Path
	}
	digits := func(c colour) string { return strings.TrimPrefix(c.Hex(), "#") }
	return map[string]string{
		"head": t.Head(), "icon": icon,
		"from": digits(t.gradient.from), "to": digits(t.gradient.to), "label": digits(t.label),
	}
}

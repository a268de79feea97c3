package dev

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"portico/internal/app"
	"portico/internal/brand"
	"portico/internal/fault"
	"portico/internal/server"
	"portico/internal/server/screens"
	"portico/web"
)

const galleryPath = "/dev/screens"

// gallery shows every state of every screen with the brand of this installation, in both
// schemes and in each language, and all components and tokens. The screen tests open the
// same states; the build puts them next to the documents.
type gallery struct {
	states  []state
	screens map[string]*screens.Screens // by scheme; set before the gallery serves
}

// state is one state of a screen, as web/fixtures/states.mjs lists it.
type state struct {
	Screen string                  `json:"screen"`
	Name   string                  `json:"name"`
	Boots  map[string]screens.Boot `json:"boots"` // by locale
}

// Words returns the name as it is read.
func (s state) Words() string { return words(s.Name) }

var spelled = strings.NewReplacer("signin", "sign in", "signup", "sign up", "mfa", "second step")

// words returns a name of the code as words: "no-passkeys" is "No passkeys".
func words(name string) string {
	name = spelled.Replace(name)
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "-", " ")
}

// newGallery reads the states of the built front end.
func newGallery() (*gallery, error) {
	packed, err := web.Dist.Open("states.json.gz")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, screens.ErrNotBuilt
	}
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	g := &gallery{screens: map[string]*screens.Screens{}}
	return g, json.NewDecoder(text).Decode(&g.states)
}

// open prepares the documents of both schemes.
func (g *gallery) open(a *app.App) (err error) {
	for _, scheme := range []string{brand.Light, brand.Dark} {
		if g.screens[scheme], err = a.Preview(scheme); err != nil {
			return err
		}
	}
	return nil
}

// Mount registers the pages.
func (g *gallery) Mount(m *server.Mux) {
	m.Handle("GET "+galleryPath, g.index, server.Quiet)
	m.Handle("GET "+galleryPath+"/{screen}/{state}/{scheme}", g.show, server.Quiet)
}

//go:embed gallery.html gallery.css
var galleryFiles embed.FS

var galleryPage = template.Must(template.ParseFS(galleryFiles, "gallery.html", "gallery.css"))

// components is the name of the page of components among the screens. It has two states: on public pages, and on those
// of the account.
const (
	components = "components"
	ofAccount  = "account"
)

var componentStates = []state{{Screen: components, Name: "public"}, {Screen: components, Name: ofAccount}}

// link leads to the states of a screen.
type link struct{ ID, Words string }

// group is a part of the list of screens.
type group struct {
	Name  string
	Links []link
}

// groups returns all screens, in the order of the states.
func (g *gallery) groups() []group {
	all := []group{{Name: "Parts", Links: []link{{components, "Tokens and components"}}}, {Name: "Signing in"}, {Name: "Account"}}
	for i, s := range g.states {
		if i > 0 && g.states[i-1].Screen == s.Screen {
			continue
		}
		in := &all[1]
		name := strings.TrimPrefix(s.Screen, "account-")
		if name != s.Screen || name == "account" {
			in = &all[2]
		}
		in.Links = append(in.Links, link{s.Screen, words(name)})
	}
	return all
}

// index shows the states of one screen.
func (g *gallery) index(w http.ResponseWriter, r *http.Request) error {
	asked, locale := r.URL.Query().Get("screen"), g.locale(r)
	shown := slices.DeleteFunc(slices.Clone(g.states), func(s state) bool { return s.Screen != asked })
	if len(shown) == 0 {
		asked, shown = components, componentStates
	}
	var page bytes.Buffer
	if err := galleryPage.Execute(&page, map[string]any{
		"Screen": asked, "Groups": g.groups(), "States": shown, "Locale": locale, "Path": galleryPath,
		"Locales": g.states[0].Boots[locale].Locales, "Widths": []int{360, 1280}, "Schemes": []string{brand.Light, brand.Dark},
	}); err != nil {
		return fmt.Errorf("fill the gallery: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = page.WriteTo(w)
	return nil
}

// locale returns the language that a request asks for.
func (g *gallery) locale(r *http.Request) string {
	asked := r.URL.Query().Get("locale")
	if _, known := g.states[0].Boots[asked]; !known {
		return "en"
	}
	return asked
}

// show serves one state, for a frame or alone. A frame runs no script, so that it stays as it is.
func (g *gallery) show(w http.ResponseWriter, r *http.Request) error {
	documents := g.screens[r.PathValue("scheme")]
	at := slices.IndexFunc(g.states, func(s state) bool {
		return s.Screen == r.PathValue("screen") && s.Name == r.PathValue("state")
	})
	isComponents := r.PathValue("screen") == components
	if at < 0 && !isComponents || documents == nil {
		return fault.New(fault.Missing, server.CodeRouteMissing)
	}
	var page []byte
	var policy string
	var err error
	if isComponents {
		page, policy, err = documents.Components(r.PathValue("state") == ofAccount)
	} else {
		page, policy, err = documents.Preview(g.states[at].Boots[g.locale(r)])
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	_, _ = w.Write(page)
	return nil
}

package dev

import (
	"bytes"
	"compress/gzip"
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
// schemes and in each language. They are the states of the screen tests; the build puts
// them next to the documents.
type gallery struct {
	states  []state
	screens map[string]*screens.Screens // by scheme; set before the gallery serves
}

// state is one state of a screen, as web/fixtures/states.mjs lists it.
type state struct {
	Screen string       `json:"screen"`
	Name   string       `json:"name"`
	Boot   screens.Boot `json:"boot"`
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

const galleryStyle = `body{margin:0;font:1rem/1.5 -apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,Noto Sans,sans-serif;background:#e6eaf0;color:#131b2b}
header{position:sticky;top:0;z-index:1;padding:.75rem 1.25rem;background:#fff;border-bottom:1px solid #cfd6e0}
h1{margin:0 .75rem 0 0;font-size:1.125rem;display:inline}nav{display:inline}nav a{margin-right:.75rem;color:#1a4ab8}nav a[aria-current]{color:inherit;font-weight:700;text-decoration:none}
section{padding:1rem 1.25rem 0}h2{margin:0 0 .5rem;font-size:1rem}h2 span{font-weight:400;color:#525e70}
.row{display:flex;gap:1rem;overflow-x:auto;padding-bottom:.75rem}
figure{margin:0;flex:none}figcaption{font-size:.8125rem;color:#525e70}
iframe{display:block;border:1px solid #cfd6e0}
.narrow{width:360px;height:740px}.wide{width:1280px;height:740px}`

var galleryPage = template.Must(template.New("gallery").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<title>Screens: {{.Screen}}</title><style>{{.Style}}</style></head><body>
<header><h1>Screens</h1> <nav aria-label="Screens">{{range .Names}}<a href="?screen={{.}}&amp;locale={{$.Locale}}"{{if eq . $.Screen}} aria-current="page"{{end}}>{{.}}</a>{{end}}</nav><br>
<nav aria-label="Languages">{{range .Locales}}<a href="?screen={{$.Screen}}&amp;locale={{.ID}}" lang="{{.ID}}"{{if eq .ID $.Locale}} aria-current="page"{{end}}>{{.Name}}</a>{{end}}</nav></header>
<main>{{range $state := .States}}<section><h2>{{.Screen}} <span>{{.Name}}</span></h2><div class="row" tabindex="0" role="group" aria-label="{{.Name}}">
{{range $.Frames}}<figure><figcaption>{{.Pixels}} px, {{.Scheme}}</figcaption><iframe class="{{.Class}}" loading="lazy" sandbox="allow-same-origin" title="{{$state.Name}}, {{.Pixels}} px, {{.Scheme}}" src="{{$.Path}}/{{$state.Screen}}/{{$state.Name}}/{{.Scheme}}?locale={{$.Locale}}"></iframe></figure>
{{end}}</div></section>{{end}}</main></body></html>
`))

// frame is one view of a state.
type frame struct {
	Class, Scheme string
	Pixels        int
}

// index shows the states of one screen.
func (g *gallery) index(w http.ResponseWriter, r *http.Request) error {
	var names []string
	for _, s := range g.states {
		if !slices.Contains(names, s.Screen) {
			names = append(names, s.Screen)
		}
	}
	screen := r.URL.Query().Get("screen")
	if !slices.Contains(names, screen) {
		screen = names[0]
	}
	locale, locales := g.locale(r)
	shown := slices.DeleteFunc(slices.Clone(g.states), func(s state) bool { return s.Screen != screen })
	var page bytes.Buffer
	if err := galleryPage.Execute(&page, map[string]any{
		"Screen": screen, "Names": names, "States": shown, "Locale": locale, "Locales": locales, "Path": galleryPath, "Style": template.CSS(galleryStyle),
		"Frames": []frame{{"narrow", brand.Light, 360}, {"narrow", brand.Dark, 360}, {"wide", brand.Light, 1280}, {"wide", brand.Dark, 1280}},
	}); err != nil {
		return fmt.Errorf("fill the gallery: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = page.WriteTo(w)
	return nil
}

// locale returns the language that a request asks for, and all languages. Errors
// and notices of the server are data of a state and stay in English.
func (g *gallery) locale(r *http.Request) (string, []screens.Language) {
	locales := g.states[0].Boot.Locales
	asked := r.URL.Query().Get("locale")
	if !slices.ContainsFunc(locales, func(l screens.Language) bool { return l.ID == asked }) {
		asked = g.states[0].Boot.Locale
	}
	return asked, locales
}

// show serves one state for a frame. It runs no script, so that it stays as it is.
func (g *gallery) show(w http.ResponseWriter, r *http.Request) error {
	documents := g.screens[r.PathValue("scheme")]
	at := slices.IndexFunc(g.states, func(s state) bool {
		return s.Screen == r.PathValue("screen") && s.Name == r.PathValue("state")
	})
	if at < 0 || documents == nil {
		return fault.New(fault.Missing, server.CodeRouteMissing)
	}
	boot := g.states[at].Boot
	boot.Locale, _ = g.locale(r)
	page, policy, err := documents.Preview(boot)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	_, _ = w.Write(page)
	return nil
}

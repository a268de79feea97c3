package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"portico/internal/audit"
	"portico/internal/brand"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/session"
)

// Page is the document of the admin page. It is safe for concurrent use.
type Page struct {
	template *template.Template
	policy   string
	values   map[string]any
	boot     AdminBoot
}

// AdminBoot is the data that the script of the page starts from.
type AdminBoot struct {
	User   AdminSelf   `json:"user"`
	Brand  AdminBrand  `json:"brand"`
	Events []AdminKind `json:"events"` // by which the record can be filtered
}

// AdminKind is a name of audit records, and what it says.
type AdminKind struct {
	Kind  string `json:"kind"`
	Words string `json:"words"`
}

// events returns all events in the order of their words.
func events() []AdminKind {
	all := each(audit.Names(), func(n audit.Name) AdminKind { return AdminKind{string(n), n.Words()} })
	slices.SortFunc(all, func(a, b AdminKind) int { return strings.Compare(a.Words, b.Words) })
	return all
}

// AdminSelf is the admin who uses the page.
type AdminSelf struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// AdminBrand is the name of the site, and the path of its logo or "".
type AdminBrand struct {
	Name string `json:"name"`
	Logo string `json:"logo"`
}

// document is the path of the document in the front end.
const document = "documents/admin.html"

// NewPage reads the document in the front end. It returns nil if there is none.
func NewPage(dist fs.FS, theme *brand.Theme, site string) (*Page, error) {
	text, err := fs.ReadFile(dist, document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var built struct {
		StyleHashes map[string]string `json:"style_hashes"`
	}
	manifest, manifestErr := fs.ReadFile(dist, "documents/manifest.json")
	style, styleErr := fs.ReadFile(dist, "styles/admin.css")
	if errors.Is(styleErr, fs.ErrNotExist) {
		styleErr = nil
	}
	if err := errors.Join(err, manifestErr, styleErr); err != nil {
		return nil, fmt.Errorf("read the admin page: %w", err)
	}
	parsed, err := template.New(document).Option("missingkey=error").Parse(string(text))
	if err := errors.Join(err, json.Unmarshal(manifest, &built)); err != nil {
		return nil, fmt.Errorf("read the admin page: %w", err)
	}
	look := AdminBrand{Name: site}
	if logo := theme.Shown(); logo != nil {
		look.Logo = logo.Path
	}
	hashes := slices.DeleteFunc([]string{built.StyleHashes["admin"], theme.StyleHash()}, func(hash string) bool { return hash == "" })
	return &Page{
		template: parsed, policy: server.DocumentPolicy(hashes), boot: AdminBoot{Brand: look, Events: events()},
		values: map[string]any{"theme": theme.Values(), "style": string(style), "brand": map[string]string{"name": look.Name, "logo": look.Logo}},
	}, nil
}

// page serves the document to an admin. It leads to the sign-in, to the proof or to the
// first second factor, and back.
func (a *Admin) page(w http.ResponseWriter, r *http.Request) error {
	if !a.reaches(r) || a.Page == nil {
		return server.RouteMissing
	}
	here := r.URL.RequestURI()
	found, err := a.Actions.Session(w, r)
	if err == nil {
		err = a.admits(w, r, found, false)
	}
	switch {
	case errors.Is(err, session.Required):
		return server.SeeOther(w, pages.ReturnTo(pages.SignIn, here))
	case errors.Is(err, flow.NoAdminFactor):
		return server.SeeOther(w, pages.ReturnTo(pages.Factors, here))
	case errors.Is(err, flow.ProofNeeded):
		return server.SeeOther(w, pages.ReturnTo(pages.MFA, here))
	case err != nil:
		return hidden(err)
	case r.URL.Path == pages.Admin:
		return server.SeeOther(w, pages.AdminPeople)
	}
	return a.Page.serve(w, r, found.User)
}

func (p *Page) serve(w http.ResponseWriter, r *http.Request, user session.User) error {
	boot := p.boot
	boot.User = AdminSelf{ID: user.ID, Email: user.Address, Name: user.Name}
	text, err := json.Marshal(boot) // which escapes <, > and &
	if err != nil {
		return err
	}
	values := maps.Clone(p.values)
	values["boot"] = string(text)
	var body bytes.Buffer
	if err := p.template.Execute(&body, values); err != nil {
		return err
	}
	server.SetPolicy(w, p.policy)
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", "en")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes()) // fails only if the client has gone
	}
	return nil
}

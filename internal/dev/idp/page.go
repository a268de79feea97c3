package idp

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"net/url"

	"portico/internal/pages"
)

//go:embed frame.html page.html home.html wrong.html
var sources embed.FS

//go:embed page.css
var pageStyle []byte

//go:embed icon.svg
var icon []byte

// Icon returns the picture of the provider for Portico's button.
func Icon() []byte { return icon }

// Name is the name of the provider on its pages and on Portico's button.
const Name = "Example ID"

// Name returns the constant for templates.
func (view) Name() string { return Name }

// view is the data of the sign-in page.
type view struct {
	Request  string // query of the authorization request
	People   []person
	Verified bool
	Error    string
}

func (p *Provider) show(w http.ResponseWriter, status int, v view) { p.page(w, status, "page.html", v) }

// home serves the page that explains the provider.
func (p *Provider) home(w http.ResponseWriter, r *http.Request) {
	kept, _ := p.signedIn(r)
	p.page(w, http.StatusOK, "home.html", map[string]string{
		"Name": Name, "Person": cmp.Or(kept.person.Name, kept.person.Email), "SignIn": p.signInPage(), "Discovery": p.config.Issuer + "/.well-known/openid-configuration",
	})
}

// wrong serves the page for a request that no client of the provider made.
func (p *Provider) wrong(w http.ResponseWriter) {
	p.page(w, http.StatusBadRequest, "wrong.html", map[string]string{"Name": Name, "SignIn": p.signInPage()})
}

// signInPage is where a sign-in through the provider begins.
func (p *Provider) signInPage() string { return originOf(p.config.RedirectURI) + pages.SignIn }

func (p *Provider) page(w http.ResponseWriter, status int, name string, v any) {
	page, err := template.ParseFS(sources, "frame.html", name)
	var body bytes.Buffer
	if err == nil {
		err = page.Execute(&body, v)
	}
	if err != nil {
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	// The response to the form redirects to the client. form-action applies to
	// redirects too.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self' "+originOf(p.config.RedirectURI)+
		"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w)
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(pageStyle)
}

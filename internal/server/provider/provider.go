package provider

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/fault"
	"portico/internal/locale"
	"portico/internal/server"
	"portico/internal/server/door"
)

// Config is what the door is built from.
type Config struct {
	Desk      *door.Desk
	Catalogue *locale.Catalogue
	Name      func(id string) string
	// Failure returns the path of the screen that explains a fault.
	Failure func(r *http.Request, f *fault.Error, provider, returnTo string) string
}

// Door is the door.
type Door struct {
	Config
}

// New returns the door.
func New(cfg Config) *Door { return &Door{cfg} }

// Mount registers the routes.
func (d *Door) Mount(m *server.Mux) {
	m.Handle("POST /auth/provider/{id}/start", d.start)
	m.Handle("GET /auth/provider/{id}/callback", d.callback)
	// The answer of a provider that uses response_mode=form_post comes from its
	// site. It changes nothing here: it is turned into the GET above.
	m.Handle("POST /auth/provider/{id}/callback", d.callbackForm, server.CrossSite)
}

type startForm struct {
	ReturnTo string `json:"return_to"`
	Flow     string `json:"flow"`
}

func (d *Door) start(w http.ResponseWriter, r *http.Request) error {
	in, err := door.Receive[startForm](r)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	result, err := d.Desk.Flows.StartProvider(r.Context(), d.Desk.Caller(w, r), id, in.ReturnTo, in.Flow)
	if err != nil {
		return d.explain(w, r, id, in.ReturnTo, err)
	}
	d.Desk.Give(w, result)
	return d.sendAway(w, r, id, result.Next)
}

// leavingStyle is the page and the link of the screens: a provider may take
// seconds to answer, and the person looks at this in the meantime.
const leavingStyle = `body{display:grid;place-items:center;min-height:100vh;margin:0;background:#f3f5f8;font:600 1rem/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}a{color:#1a4ab8;text-underline-offset:.2em}`

// leaving goes on by itself and keeps a link for browsers that do not.
var leaving = template.Must(template.New("leaving").Parse(`<!doctype html>
<html lang="{{.Locale}}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0;url={{.URL}}"><title>{{.Words}}</title><style>` + leavingStyle + `</style></head>
<body><main><a href="{{.URL}}" rel="noreferrer">{{.Words}}</a></main></body></html>
`))

func leavingPolicy() string {
	sum := sha256.Sum256([]byte(leavingStyle))
	return server.DocumentPolicy([]string{"sha256-" + base64.StdEncoding.EncodeToString(sum[:])})
}

func (d *Door) sendAway(w http.ResponseWriter, r *http.Request, id, to string) error {
	loc := d.Desk.Locale(r)
	server.SetPolicy(w, leavingPolicy())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return leaving.Execute(w, map[string]string{
		"Locale": loc, "URL": to,
		"Words": d.Catalogue.Text(loc, "provider.leaving", map[string]string{"provider": d.Name(id)}),
	})
}

func (d *Door) callback(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	result, err := d.Desk.Flows.FinishProvider(r.Context(), d.Desk.Caller(w, r), id, r.URL.Query())
	if err != nil {
		return d.explain(w, r, id, result.Next, err)
	}
	d.Desk.Give(w, result)
	return server.SeeOther(w, result.Next)
}

// explain leads to a screen that says what went wrong and how to go on: one
// that can be reloaded, which an answer with a used code could not.
func (d *Door) explain(w http.ResponseWriter, r *http.Request, id, returnTo string, err error) error {
	f := fault.From(err)
	if f.Kind == fault.Internal || f.Kind == fault.Limited {
		return err // a status of its own, and Retry-After
	}
	server.Note(w, err)
	return server.SeeOther(w, d.Failure(r, f, id, returnTo))
}

// callbackForm turns a form_post answer into a GET of the same address: the
// browser then sends its cookies, which it does not with a cross-site POST.
func (d *Door) callbackForm(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return fault.New(fault.Invalid, server.CodeMalformed).WithCause(err)
	}
	query := url.Values{}
	for _, name := range []string{"code", "state", "iss", "error", "error_description", "user"} {
		if v := r.PostForm.Get(name); v != "" {
			query.Set(name, v)
		}
	}
	path := (&url.URL{Path: "/auth/provider/" + r.PathValue("id") + "/callback"}).EscapedPath()
	return server.SeeOther(w, strings.TrimSuffix(path+"?"+query.Encode(), "?"))
}

package dev

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/server"
)

// sampleRules are the access rules of the sample app.
var sampleRules = []string{"role:admin /admin/*", "signed-in /*"}

// newSample returns the sample app. It contains no sign-in code and reads the
// identity headers of the gateway.
func newSample() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", samplePageFor(false))
	mux.HandleFunc("GET /admin", samplePageFor(true))
	return mux
}

const sampleStyle = `body{margin:0;font:1rem/1.6 -apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,Noto Sans,sans-serif;background:#f3f5f8;color:#131b2b}
main{max-width:38rem;margin:0 auto;padding:12vh 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}
dl{background:#fff;border:1px solid #dfe4eb;border-radius:.75rem;padding:1.25rem 1.5rem;margin:1.5rem 0;overflow-wrap:anywhere}
dt{color:#525e70;font-size:.875rem}dd{margin:0 0 .75rem}dd:last-child{margin:0}
code{background:#e9edf3;border-radius:.25rem;padding:.1em .35em;font-size:.9em}
button{font:inherit;font-weight:600;color:#1a4ab8;background:#fff;border:1px solid #c3cbd6;border-radius:.625rem;padding:.6rem 1.1rem;cursor:pointer}
a{color:#1a4ab8}`

var samplePage = template.Must(template.New("app").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>Sample app</title><style>{{.Style}}</style></head><body><main>
<h1>Hello, {{or .Name .Email}}</h1>
{{if .Admin}}<p>This page is for people with the role <code>admin</code>. <a href="/">Back</a></p>
{{else}}<p>A stand-in for your app. It has no sign-in of its own: Portico tells it who is signed in.</p>
<dl><dt><code>X-Portico-Email</code></dt><dd>{{.Email}}</dd><dt><code>X-Portico-User</code></dt><dd>{{.User}}</dd><dt><code>X-Portico-Roles</code></dt><dd>{{or .Roles "none"}}</dd><dt><code>X-Portico-Session-Age</code></dt><dd>{{.Age}} second{{if ne .Age "1"}}s{{end}}</dd></dl>
<p><a href="/admin">A page for administrators</a></p>{{end}}
<form method="post" action="/auth/signout"><button>Sign out</button></form>
<p><a href="/auth/account">Your account</a></p>
</main></body></html>
`))

// sampleView is the data of the pages.
type sampleView struct {
	Email, User, Name, Roles, Age string
	Admin                         bool
	Style                         template.CSS
}

func samplePageFor(admin bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, err := url.PathUnescape(r.Header.Get("X-Portico-Name"))
		if err != nil {
			name = ""
		}
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		_ = samplePage.Execute(w, sampleView{ // fails only if the client has gone
			Email: r.Header.Get("X-Portico-Email"), User: r.Header.Get("X-Portico-User"), Name: name, Age: r.Header.Get("X-Portico-Session-Age"),
			Roles: strings.ReplaceAll(r.Header.Get("X-Portico-Roles"), ",", ", "), Admin: admin, Style: sampleStyle,
		})
	}
}

// mounted serves a handler under a path. The handler sets its own
// Content-Security-Policy.
type mounted struct {
	path    string
	handler http.Handler
}

// Mount registers the pages.
func (p mounted) Mount(m *server.Mux) {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		err := server.Unhurried(w) // it has streams
		if err == nil {
			p.handler.ServeHTTP(w, r)
		}
		return err
	}
	m.Handle("GET "+p.path, serve, server.Streaming, server.Quiet)
	m.Handle("GET "+p.path+"/{rest...}", serve, server.Streaming, server.Quiet)
	m.Handle("POST "+p.path+"/{rest...}", serve)
}

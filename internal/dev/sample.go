package dev

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"time"

	"portico/internal/server"
)

// sample is the app at the end of the journey. It learns who is there as any
// app can: by passing the browser's cookies on to /auth/api/session.
type sample struct {
	api    string // base URL of Portico, as the app reaches it
	host   string // public host, as browsers name it
	client *http.Client
}

func newSample(api, host string) *sample {
	return &sample{api: api, host: host, client: &http.Client{Timeout: 5 * time.Second}}
}

// Mount registers the app's page.
func (s *sample) Mount(m *server.Mux) { m.Handle("GET "+appPath, s.page) }

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
<h1>Hello, {{or .User.Name .User.Email}}</h1>
<p>This page stands for your app. It asked <code>GET /auth/api/session</code> who is there, and got:</p>
<dl><dt>Address</dt><dd>{{.User.Email}}</dd><dt>Account</dt><dd>{{.User.ID}}</dd><dt>Signed in</dt><dd>{{.Session.AuthenticatedAt}}</dd></dl>
<form method="post" action="/auth/signout"><button>Sign out</button></form>
<p><a href="/auth/account">Your account</a></p>
</main></body></html>
`))

// sampleView is what the page shows: the part of the API's answer that it
// needs.
type sampleView struct {
	User struct {
		ID    string `json:"id"`
		Email string `json:"email"`
		Name  string `json:"name"`
	} `json:"user"`
	Session struct {
		AuthenticatedAt string `json:"authenticated_at"`
	} `json:"session"`
	Style template.CSS `json:"-"`
}

func (s *sample) page(w http.ResponseWriter, r *http.Request) error {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, s.api+"/auth/api/session", nil)
	if err != nil {
		return err
	}
	req.Host = s.host
	req.Header["Cookie"] = r.Header["Cookie"]
	answer, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return server.SeeOther(w, "/auth/signin?return_to="+url.QueryEscape(appPath))
	}
	view := sampleView{Style: sampleStyle}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(&view); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(sampleStyle))
	server.SetPolicy(w, server.DocumentPolicy([]string{"sha256-" + base64.StdEncoding.EncodeToString(sum[:])}))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return samplePage.Execute(w, view)
}

// pages mounts a handler that has its own policies under a path.
type pages struct {
	path    string
	handler http.Handler
}

// Mount registers the pages.
func (p pages) Mount(m *server.Mux) {
	serve := func(w http.ResponseWriter, r *http.Request) error {
		p.handler.ServeHTTP(w, r)
		return nil
	}
	m.Handle("GET "+p.path, serve, server.Streaming, server.Quiet)
	m.Handle("GET "+p.path+"/{rest...}", serve, server.Streaming, server.Quiet)
	m.Handle("POST "+p.path+"/{rest...}", serve)
}

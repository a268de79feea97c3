package security

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	pathpkg "path"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/testform"
)

// echo describes a request as an app received it.
type echo struct {
	Method, Target, Host string
	Header               http.Header
	Variables            map[string][]string // the headers under the names of CGI, WSGI and PHP
	Admin                bool                // whether the app took the request for its admin page
}

// protectedApp is an app behind the gateway. It has an admin page, and answers
// with a description of the request. How it finds the page of a request is a
// parameter.
type protectedApp struct {
	*httptest.Server
	mu   sync.Mutex
	seen []echo
}

// tempers returns the ways in which apps find the page of a request.
func tempers() map[string]func(r *http.Request) string {
	return map[string]func(r *http.Request) string{
		"raw":     func(r *http.Request) string { return strings.SplitN(r.RequestURI, "?", 2)[0] },
		"cleaned": func(r *http.Request) string { return pathpkg.Clean(r.URL.Path) },
		"Tomcat": func(r *http.Request) string {
			raw, _, _ := strings.Cut(r.RequestURI, "?")
			segments := strings.Split(raw, "/")
			for i, s := range segments {
				segments[i], _, _ = strings.Cut(s, ";")
			}
			decoded, err := url.PathUnescape(strings.Join(segments, "/"))
			if err != nil {
				return raw
			}
			return pathpkg.Clean(decoded)
		},
		"WHATWG URL": func(r *http.Request) string { // as new URL(request.url, base) of Node
			base := &url.URL{Scheme: "http", Host: "portico.test", Path: "/"}
			u, err := base.Parse(r.RequestURI)
			if err != nil {
				return r.RequestURI
			}
			return pathpkg.Clean(u.Path)
		},
		"decoded twice": func(r *http.Request) string {
			twice, err := url.PathUnescape(r.URL.Path)
			if err != nil {
				twice = r.URL.Path
			}
			twice, _, _ = strings.Cut(strings.ReplaceAll(twice, `\`, "/"), ";")
			return pathpkg.Clean(strings.ToLower(strings.TrimRight(twice, " .\x00")))
		},
	}
}

// gunicorn finds the page as gunicorn does: it cuts the header SCRIPT_NAME off
// the path.
func gunicorn(r *http.Request) string {
	for name, values := range r.Header {
		if strings.EqualFold(name, "SCRIPT_NAME") {
			return strings.TrimPrefix(r.URL.Path, values[0])
		}
	}
	return r.URL.Path
}

func newApp(t *testing.T, page func(r *http.Request) string) *protectedApp {
	t.Helper()
	a := &protectedApp{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		found := page(r)
		e := echo{
			Method: r.Method, Target: r.RequestURI, Host: r.Host, Header: r.Header, Variables: variables(r.Header),
			Admin: found == "/admin" || strings.HasPrefix(found, "/admin/"),
		}
		a.mu.Lock()
		a.seen = append(a.seen, e)
		a.mu.Unlock()
		if r.URL.Path == "/public/evil" {
			for _, line := range []string{"__Host-portico-session=evil; Path=/; Secure", "__Host-portico=evil", "portico-browser=evil", "x=1; Domain=portico.test"} {
				w.Header().Add("Set-Cookie", line)
			}
			w.Header().Set("Clear-Site-Data", `"*"`)
			w.Header().Set("Location", "http://169.254.169.254/latest")
			w.WriteHeader(http.StatusFound)
		}
		_ = json.NewEncoder(w).Encode(e)
	}))
	t.Cleanup(a.Close)
	return a
}

// variables returns the headers as a CGI layer passes them on.
func variables(h http.Header) map[string][]string {
	all := map[string][]string{}
	for name, values := range h {
		folded := strings.Map(func(r rune) rune {
			if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return '_'
			}
			return unicode.ToUpper(r)
		}, name)
		all["HTTP_"+strings.TrimPrefix(folded, "HTTP_")] = append(all["HTTP_"+strings.TrimPrefix(folded, "HTTP_")], values...)
	}
	return all
}

func (a *protectedApp) asked() []echo {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]echo(nil), a.seen...)
}

// protects puts an app behind the gateway, with rules.
func protects(a *protectedApp, rules ...string) option {
	return func(c *config.Config) {
		c.App.Upstream, _ = url.Parse(a.URL)
		c.App.Rules = rules
	}
}

// publicAndAdmin returns the rules of most gateway tests.
func publicAndAdmin() []string {
	return []string{"public /public/*", "role:admin /admin/*", "signed-in /app/*"}
}

// echoed returns the app's description of the request.
func (a *answer) echoed() (e echo) {
	a.Helper()
	a.must(200).parse(&e)
	return e
}

// staff creates an account with roles and signs in to it.
func (s *site) staff(roles ...string) *visitor {
	s.Helper()
	address := fresh("staff")
	if _, err := s.app.Operator.CreateUser(s.Context(), flow.ByOperator, address, "", good, roles...); err != nil {
		s.Fatal(err)
	}
	v := s.visitor()
	v.signIn(address, good).must(200)
	return v
}

// script returns the headers of a fetch.
func script() http.Header {
	return http.Header{"Sec-Fetch-Mode": {"cors"}, "Sec-Fetch-Dest": {"empty"}}
}

// streamApp is an app whose only page is a stream without an end.
type streamApp struct {
	upstream      *url.URL
	opened, ended chan struct{}
}

func newStreamApp(t *testing.T) streamApp {
	t.Helper()
	a := streamApp{opened: make(chan struct{}), ended: make(chan struct{}, 10)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		a.opened <- struct{}{}
		<-r.Context().Done()
		a.ended <- struct{}{}
	}))
	t.Cleanup(server.Close)
	var err error
	if a.upstream, err = url.Parse(server.URL); err != nil {
		t.Fatal(err)
	}
	return a
}

// outlives reports whether a visitor's stream goes on after a change.
func (a streamApp) outlives(v *visitor, target string, header http.Header, change func()) bool {
	header.Set("Accept", "text/event-stream")
	go func() { _, _ = v.try("GET", target, "", header) }()
	<-a.opened
	change()
	select {
	case <-a.ended:
		return false
	case <-time.After(testform.Patience):
		return true
	}
}

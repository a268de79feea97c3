package spoof_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"portico/internal/cli/spoof"
)

// deployment is an app behind a gateway that each test defines.
func deployment(t *testing.T, entrance func(w http.ResponseWriter, r *http.Request) bool) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !entrance(w, r) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, "welcome\n")
		for name, values := range r.Header {
			_, _ = io.WriteString(w, name+": "+strings.Join(values, ",")+"\n")
		}
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/app/x")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// through returns the requests that got through.
func through(t *testing.T, target spoof.Deployment) []string {
	t.Helper()
	trials, err := spoof.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, trial := range trials {
		if trial.Through {
			names = append(names, trial.Request)
		}
	}
	return names
}

func TestRun_Closed(t *testing.T) {
	t.Parallel()
	got := through(t, spoof.Deployment{URL: deployment(t, func(http.ResponseWriter, *http.Request) bool { return false })})
	if len(got) > 0 {
		t.Errorf("a careful deployment lets through %q", got)
	}
}

func TestRun_Leaks(t *testing.T) {
	t.Parallel()
	folded := func(r *http.Request, name string) bool {
		for got := range r.Header {
			if strings.EqualFold(strings.ReplaceAll(got, "_", "-"), name) {
				return true
			}
		}
		return false
	}
	for name, test := range map[string]struct {
		entrance func(w http.ResponseWriter, r *http.Request) bool
		want     string // a request that must get through
		not      string // a request that must not
	}{
		"a header":            {func(_ http.ResponseWriter, r *http.Request) bool { return r.Header.Get("X-Portico-User") != "" }, "x-portico-user: portico-spoof", "X_Portico_User: portico-spoof"},
		"a header that folds": {func(_ http.ResponseWriter, r *http.Request) bool { return folded(r, "x-portico-user") }, "X_Portico_User: portico-spoof", "X-Portico-Email: portico-spoof"},
		"another product's":   {func(_ http.ResponseWriter, r *http.Request) bool { return r.Header.Get("X-Auth-Request-Email") != "" }, "X-Auth-Request-Email: portico-spoof", "X-Portico-User: portico-spoof"},
		"an unsigned token": {func(_ http.ResponseWriter, r *http.Request) bool {
			return strings.HasPrefix(r.Header.Get("X-Portico-Token"), "eyJ")
		}, "X-Portico-Token: eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJzcG9vZiJ9.", "X-Portico-Token: portico-spoof"},
		"the local host": {func(_ http.ResponseWriter, r *http.Request) bool {
			return r.Header.Get("X-Forwarded-For") == "127.0.0.1"
		}, "X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1"},
		"another path's rule": {func(_ http.ResponseWriter, r *http.Request) bool {
			return strings.HasPrefix(r.Header.Get("X-Original-URL"), "/auth/")
		}, "X-Original-URL: /auth/signin", "X-Original-URL: /"},
		"a variable of CGI":   {func(_ http.ResponseWriter, r *http.Request) bool { return r.Header.Get("SCRIPT_NAME") != "" }, "Script_Name: /", "Script-Name: /"},
		"two slashes":         {func(_ http.ResponseWriter, r *http.Request) bool { return strings.HasPrefix(r.RequestURI, "//") }, "//app/x", "/./app/x"},
		"a path by its start": {func(_ http.ResponseWriter, r *http.Request) bool { return strings.HasPrefix(r.RequestURI, "/auth/") }, "/auth/../app/x", "/x/../app/x"},
		"a letter in percent": {func(_ http.ResponseWriter, r *http.Request) bool { return !strings.Contains(r.RequestURI, "/app") }, "/%61pp/x", "/x/../app/x"},
		"HEAD":                {func(_ http.ResponseWriter, r *http.Request) bool { return r.Method == "HEAD" }, "HEAD", "a preflight"},
		"a preflight":         {func(_ http.ResponseWriter, r *http.Request) bool { return r.Method == "OPTIONS" }, "a preflight", "HEAD"},
		"a WebSocket":         {func(_ http.ResponseWriter, r *http.Request) bool { return r.Header.Get("Upgrade") == "websocket" }, "a WebSocket", "an upgrade to h2c"},
		"another host":        {func(_ http.ResponseWriter, r *http.Request) bool { return r.Host == "localhost" }, "another host", "HEAD"},
		"HTTP/1.0":            {func(_ http.ResponseWriter, r *http.Request) bool { return r.ProtoMinor == 0 }, "HTTP/1.0", "HEAD"},
		"the question": {func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/auth/api/check" && r.Header.Get("X-Original-Method") != "" {
				_, _ = io.WriteString(w, `{"signin_url":"https://example.com/auth/signin"}`)
			}
			return false
		}, "/auth/api/check as nginx asks", "/auth/api/check as Caddy asks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := through(t, spoof.Deployment{URL: deployment(t, test.entrance)})
			if !slices.Contains(got, test.want) || slices.Contains(got, test.not) {
				t.Errorf("got through: %q, want %q and not %q", got, test.want, test.not)
			}
		})
	}
}

func TestRun_Echo(t *testing.T) {
	t.Parallel()
	target := spoof.Deployment{Echo: "/headers", Told: []string{"X-Own"}, URL: deployment(t, func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Remote-User")
		return r.URL.Path == "/headers"
	})}
	got := through(t, target)
	for _, want := range []string{"/headers Remote_User: portico-spoof", "/headers X-Auth-Request-Email: portico-spoof", "/headers X-Own: portico-spoof", "/headers Upgrade: portico-spoof"} {
		if !slices.Contains(got, want) || slices.Contains(got, "/headers Remote-User: portico-spoof") {
			t.Errorf("got through: %q, want %q and not Remote-User", got, want)
		}
	}
	target.Echo = "/private"
	if _, err := spoof.Run(t.Context(), target); !errors.Is(err, spoof.ErrMute) {
		t.Errorf("an echo that shows nothing: %v, want %v", err, spoof.ErrMute)
	}
}

func TestRun_Direct(t *testing.T) {
	t.Parallel()
	entrance := deployment(t, func(http.ResponseWriter, *http.Request) bool { return false })
	app := deployment(t, func(_ http.ResponseWriter, r *http.Request) bool { return r.Header.Get("X-Portico-User") != "" })
	want := []string{app.Host + " X-Portico-User: portico-spoof"}
	if got := through(t, spoof.Deployment{URL: entrance, Direct: app}); !slices.Equal(got, want) {
		t.Errorf("got through: %q, want %q", got, want)
	}
}

func TestRun_NothingToTry(t *testing.T) {
	t.Parallel()
	open := deployment(t, func(http.ResponseWriter, *http.Request) bool { return true })
	if _, err := spoof.Run(t.Context(), spoof.Deployment{URL: open}); !errors.Is(err, spoof.ErrOpen) {
		t.Errorf("an open page: %v, want %v", err, spoof.ErrOpen)
	}
	gone := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	if _, err := spoof.Run(t.Context(), spoof.Deployment{URL: gone}); err == nil || errors.Is(err, spoof.ErrOpen) {
		t.Errorf("no listener: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int32
	stopped := deployment(t, func(http.ResponseWriter, *http.Request) bool {
		if asked.Add(1) == 5 {
			cancel()
		}
		return false
	})
	if _, err := spoof.Run(ctx, spoof.Deployment{URL: stopped}); !errors.Is(err, context.Canceled) || asked.Load() > 10 {
		t.Errorf("stopped after %d requests: %v", asked.Load(), err)
	}
}

package client_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	client "portico.internal/clients/go"
	"portico.internal/clients/go/clienttest"
)

func mustParse(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

// greeter answers with the user that it sees.
var greeter = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	who, ok := client.User(r.Context())
	if !ok {
		who.ID = "nobody"
	}
	_, _ = io.WriteString(w, who.ID)
})

// request reads "GET https://host/path" and header lines.
func request(first string, lines ...string) *http.Request {
	method, target, _ := strings.Cut(first, " ")
	r := httptest.NewRequest(method, target, nil)
	r.RequestURI = r.URL.RequestURI() // as a server receives it
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRequire_SignedIn(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	for name, c := range map[string]*client.Client{
		"token": portico.Client(client.Options{}), "session": portico.Client(client.Options{AskPortico: true}),
	} {
		for _, h := range []http.Handler{c.Require(greeter), c.Optional(greeter)} {
			r := request("GET https://app.test/")
			portico.SignIn(r, mara)
			if w := serve(h, r); w.Code != http.StatusOK || w.Body.String() != mara.ID {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}
		if w := serve(c.Optional(greeter), request("GET https://app.test/")); w.Code != http.StatusOK || w.Body.String() != "nobody" {
			t.Errorf("%s, nobody: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestRequire_Nobody(t *testing.T) {
	t.Parallel()
	h := clienttest.New(t).Client(client.Options{}).Require(greeter)
	const page = clienttest.URL + "/auth/signin"
	const ours, own = page + "?return_to=", "https://app.test/auth/enter?to="
	const document, script = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", "Sec-Fetch-Mode: cors\nSec-Fetch-Dest: empty"
	for _, test := range []struct {
		request, headers string
		location         string // "": no redirect
	}{
		{"GET https://portico.test/a%20b?c=d&e=/", document, ours + "%2Fa%2520b%3Fc%3Dd%26e%3D%2F"},
		{"GET https://app.test/a?b", document, own + "%2Fa%3Fb"},
		{"GET https://app.test/", "", own + "%2F"},
		{"GET https://app.test/", "Sec-Fetch-Mode: navigate", own + "%2F"},
		{"HEAD https://app.test/x", "", own + "%2Fx"},
		{"POST https://app.test/save", document + "\nReferer: https://app.test/form?x", own + "%2Fform%3Fx"},
		{"POST https://app.test/save", document + "\nReferer: https://app.test.evil/form", own + "%2F"},
		{"POST https://app.test/save", document, own + "%2F"},
		{"GET https://app.test/api", script, ""},
		{"GET https://app.test/api", script + "\nAccept: text/html", ""},
		{"GET https://app.test/api", "Accept: application/json", ""},
		{"GET https://app.test/api", document + "\nAccept: application/json, text/plain, */*", ""},
		{"GET https://app.test/page", document + "\nAccept: text/html, application/json;q=0.9", own + "%2Fpage"},
		{"GET https://app.test/frame", "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe", ""},
		{"GET https://app.test/events", "Sec-Fetch-Mode: cors\nAccept: text/event-stream", ""},
		{"GET https://app.test/ws", "Connection: Upgrade\nUpgrade: websocket", ""},
		{"GET https://app.test/api", "X-Requested-With: XMLHttpRequest", ""},
		{"POST https://app.test/api", "", ""},
		{"GET https://app.test/auth/enter?to=%2F", document, ""}, // past Portico: where the answer above led
		{"GET https://portico.test/auth/signin?return_to=%2F", document, ""},
	} {
		var lines []string
		if test.headers != "" {
			lines = strings.Split(test.headers, "\n")
		}
		w := serve(h, request(test.request, lines...))
		if w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: a cache may keep the answer", test.request)
		}
		if test.location != "" {
			if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != test.location {
				t.Errorf("%s %q: %d %s, want %s", test.request, test.headers, w.Code, got, test.location)
			}
			continue
		}
		var p struct {
			Status       int
			Code, Detail string
			SignInURL    string `json:"signin_url"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %s", test.request, w.Body)
		}
		if w.Code != 401 || p.Status != 401 || p.Code != "session.required" || p.SignInURL != page {
			t.Errorf("%s %q: %d %+v", test.request, test.headers, w.Code, p)
		}
		if past := strings.Contains(test.request, "/auth/"); past != strings.Contains(p.Detail, "open "+clienttest.URL) {
			t.Errorf("%s: %+v", test.request, p)
		}
	}
}

// An invalid token is refused even where no user is needed. The response is no
// redirect to the sign-in page, which would redirect back.
func TestMiddleware_Refused(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	var log strings.Builder
	c := portico.Client(client.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, h := range []http.Handler{c.Require(greeter), c.Optional(greeter)} {
		w := serve(h, request("GET https://app.test/", "X-Portico-Token: "+portico.Token(mara, map[string]any{"aud": "shop"})))
		if w.Code != http.StatusUnauthorized || w.Header().Get("Location") != "" || !strings.Contains(w.Body.String(), `this app is \"app\"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if !strings.Contains(log.String(), "shop") {
		t.Errorf("the log does not say why: %s", log.String())
	}
	portico.SetDown(true)
	w := serve(portico.Client(client.Options{}).Optional(greeter), request("GET https://app.test/", "X-Portico-Token: "+portico.Token(mara, nil)))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("without keys: %d %s", w.Code, w.Body)
	}
}

// Without a logger of its own an app still learns which address or setting is wrong.
func TestMiddleware_Told(t *testing.T) { // not parallel: it replaces the log of the process
	var log strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	portico := clienttest.New(t)
	c := portico.Client(client.Options{})
	serve(c.Require(greeter), request("GET https://app.test/", "X-Portico-Token: "+portico.Token(mara, map[string]any{"iss": "https://other.test"})))
	portico.SetDown(true)
	c = portico.Client(client.Options{})
	serve(c.Require(greeter), request("GET https://app.test/", "X-Portico-Token: "+portico.Token(mara, nil)))
	c, err := client.New("https://page.test", client.Options{Transport: answering(t, "<!doctype html>")}) // another program
	if err != nil {
		t.Fatal(err)
	}
	serve(c.Require(greeter), request("GET https://app.test/", "X-Portico-Token: "+portico.Token(mara, nil)))
	for _, why := range []string{"https://other.test", clienttest.URL + "/.well-known/jwks.json", "https://page.test/.well-known/jwks.json"} {
		if !strings.Contains(log.String(), why) {
			t.Errorf("the log does not name %s: %s", why, log.String())
		}
	}
}

func TestAskPortico(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	var asked *http.Request
	c, err := client.New(clienttest.URL, client.Options{
		AskPortico: true, Address: "http://10.0.0.5:8080",
		Transport: transport(func(r *http.Request) (*http.Response, error) {
			asked = r
			return portico.RoundTrip(r)
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := c.Identify(request("GET https://portico.test/", "Cookie: own=1")); ok || err != nil || asked != nil {
		t.Errorf("without our cookie: %v (%v), asked %v", ok, err, asked)
	}
	r := request("GET https://portico.test/", "Cookie: own=1", "X-Portico-Token: x.y.z")
	portico.SignIn(r, mara)
	who, ok, err := c.Identify(r)
	if err != nil || !ok || who.ID != mara.ID || who.SessionID != mara.SessionID || !who.AuthenticatedAt.Equal(mara.AuthenticatedAt) {
		t.Errorf("%+v %v (%v)", who, ok, err)
	}
	if got := asked.Header.Get("Cookie"); asked.URL.String() != "http://10.0.0.5:8080/auth/api/session" || asked.Host != "portico.test" || got != "__Host-portico-session=session-0" {
		t.Errorf("asked %s of %s with %s", asked.URL, asked.Host, got)
	}
	portico.SignOut()
	portico.SignIn(request("GET https://portico.test/"), mara)
	if _, ok, err := c.Identify(r); ok || err != nil {
		t.Errorf("after the sign-out: %v (%v)", ok, err)
	}
	portico.SetDown(true)
	if _, ok, err := c.Identify(r); ok || !errors.Is(err, client.ErrUnavailable) {
		t.Errorf("while Portico is away: %v (%v)", ok, err)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://example.com", "https://example.com/", "https://Example.com:443", "http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080", "http://app.localhost"} {
		if _, err := client.New(url, client.Options{}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"", "example.com", "http://example.com", "https://", "https://example.com/auth", "https://u@example.com", "ftp://example.com", "https://example.com?x", "http://localhost.evil.test"} {
		if _, err := client.New(url, client.Options{}); err == nil {
			t.Errorf("%s: no error", url)
		}
	}
	if _, err := client.New("https://example.com", client.Options{Address: "10.0.0.5:8080"}); err == nil {
		t.Error("an address without a scheme: no error")
	}
}

package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portico/internal/budget"
	"portico/internal/fault"
	"portico/internal/server"
)

func TestMux_Routes(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/signin", ok)
	k.Handle("GET /auth/api/flows/{id}", func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.WriteString(w, r.PathValue("id"))
		return err
	})
	// As the page of administration and forward-auth are: a route for GET before one for all methods, and the latter alone.
	every := func(w http.ResponseWriter, _ *http.Request) error { w.WriteHeader(http.StatusTeapot); return nil }
	k.Handle("GET /auth/admin", ok)
	k.Handle("/auth/admin", every, server.CrossSite)
	k.Handle("/auth/api/check", every, server.CrossSite)
	cases := []struct {
		method, target string
		status         int
		allow, code    string
	}{
		{"GET", "/auth/admin", 200, "", ""},
		{"HEAD", "/auth/admin", 200, "", ""},
		{"POST", "/auth/admin", 418, "", ""},
		{"HEAD", "/auth/api/check", 418, "", ""},
		{"BREW", "/auth/api/check", 418, "", ""},
		{"GET", "/auth/signin", 200, "", ""},
		{"HEAD", "/auth/signin", 200, "", ""},
		{"GET", "/auth/api/flows/a1", 200, "", ""},
		{"GET", "/auth/%73ignin", 400, "", server.CodeMalformed},
		{"GET", "/auth/signin/", 404, "", server.CodeRouteMissing},
		{"GET", "/auth/Signin", 404, "", server.CodeRouteMissing},
		{"GET", "/", 404, "", server.CodeRouteMissing},
		{"GET", "/metrics", 404, "", server.CodeRouteMissing},
		{"POST", "/auth/signin", 405, "GET, HEAD", server.CodeMethodNotAllowed},
		{"PATCH", "/auth/signin", 405, "GET, HEAD", server.CodeMethodNotAllowed},
		{"OPTIONS", "/auth/signin", 405, "GET, HEAD", server.CodeMethodNotAllowed},
		{"TRACE", "/auth/signin", 405, "GET, HEAD", server.CodeMethodNotAllowed},
		{"get", "/auth/signin", 405, "GET, HEAD", server.CodeMethodNotAllowed},
		{"BREW", "/auth/signin", 405, "GET, HEAD", server.CodeMethodNotAllowed},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			t.Parallel()
			w := k.do(c.method, c.target, "", "X-HTTP-Method-Override: GET", "User-Agent: kube-probe/1.0")
			if w.Code != c.status || w.Header().Get("Allow") != c.allow {
				t.Errorf("status %d, Allow %q; want %d, %q", w.Code, w.Header().Get("Allow"), c.status, c.allow)
			}
			if c.status == 405 && !strings.Contains(k.log.String(), "the route is GET /auth/signin") {
				t.Errorf("the log has %s", k.log)
			}
			if c.code != "" && problemOf(t, w.Body.Bytes()).Code != c.code {
				t.Errorf("body %s, want the code %s", w.Body, c.code)
			}
		})
	}
}

// A client that has the issuer with a slash at the end asks with two slashes. Only whole documents of Portico
// have this second spelling.
func TestMux_DoubledSlash(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /.well-known/openid-configuration", ok)
	k.Handle("POST /.well-known/elsewhere", ok)
	addr := k.listen(t)
	for target, want := range map[string]int{
		"//.well-known/openid-configuration": 200, "//.well-known/openid-configuration?x": 200, "/.well-known/openid-configuration": 200,
		"///.well-known/openid-configuration": 400, "//.well-known//openid-configuration": 400, "//.well-known/openid-configuration/": 400,
		"//.well-known/openid%2dconfiguration": 400, "//.well-known/elsewhere": 400, "//.well-known/other": 400, "//auth/signin": 400,
	} {
		if answers := raw(t, addr, "GET "+target+" HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n", 1); len(answers) != 1 || answers[0].StatusCode != want {
			t.Errorf("%s: %v, want %d", target, answers, want)
		}
	}
}

// A link in a text may end with the character after it. Only pages have this second spelling.
func TestMux_Punctuation(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/signin", ok)
	k.Handle("GET /auth/api/session", ok)
	k.Handle("POST /auth/language", ok)
	for target, want := range map[string]string{
		"/auth/signin.": "/auth/signin", "/auth/signin),": "/auth/signin", "/auth/signin%3E?return_to=%2Fapp": "/auth/signin?return_to=%2Fapp",
		"/auth/signin/.": "", "/auth/signin!": "", "/auth/sign.in": "", "/auth/api/session.": "", "/auth/language.": "", "/auth.": "", "/app.": "", "/auth/signin": "",
	} {
		if w := k.do("GET", target, "", "Accept: text/html"); w.Header().Get("Location") != want || want != "" && w.Code != 307 {
			t.Errorf("%s: %d leads to %q, want %q", target, w.Code, w.Header().Get("Location"), want)
		}
		for _, other := range []*httptest.ResponseRecorder{k.do("POST", target, "", "Accept: text/html"), k.do("GET", target, "")} {
			if other.Header().Get("Location") != "" {
				t.Errorf("%s leads a form or a program to another address", target)
			}
		}
	}
}

func TestMux_FallbackTakesWhatNoRouteTakes(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/signin", ok)
	k.Fallback(func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusTeapot)
		return nil
	}, server.CrossSite)
	for target, want := range map[string]int{"/app": 418, "/": 418, "/auth/signin": 405} {
		if got := k.do("POST", target, "").Code; got != want {
			t.Errorf("POST %s: status %d, want %d", target, got, want)
		}
	}
}

func TestMux_PanicCostsOneRequest(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /panic", func(http.ResponseWriter, *http.Request) error { panic("the canary is yellow") })
	k.Handle("GET /ok", ok)
	addr := k.listen(t)

	answer := raw(t, addr, "GET /panic HTTP/1.1\r\nHost: portico.test\r\n\r\n", 1)[0]
	body, _ := io.ReadAll(answer.Body)
	p := problemOf(t, body)
	if answer.StatusCode != 500 || p.Code != fault.CodeInternal || strings.Contains(string(body), "canary") {
		t.Errorf("status %d, body %s; want one 500 without the panic's text", answer.StatusCode, body)
	}
	log := k.log.String()
	if !strings.Contains(log, "the canary is yellow") || strings.Count(log, p.RequestID) != 2 {
		t.Errorf("the log has not the panic and the request under the id %s:\n%s", p.RequestID, log)
	}
	again := raw(t, addr, "GET /ok HTTP/1.1\r\nHost: portico.test\r\n\r\n", 1)
	if len(again) != 1 || again[0].StatusCode != 200 {
		t.Error("the server does not answer after a panic")
	}
}

func TestMux_ErrorAfterTheAnswerBeganEndsTheConnection(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /broken", func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<16))
		return errors.New("the rest is missing")
	})
	r, err := http.NewRequest("GET", "http://"+k.listen(t).String()+"/broken", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = publicHost
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.ReadAll(answer.Body); err == nil {
		t.Error("half an answer looks whole to the client")
	}
}

func TestMux_ErrorPage(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/api/broken", func(http.ResponseWriter, *http.Request) error { return errors.New("canary") })
	k.Handle("POST /auth/signin", func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Length", "7")
		w.Header().Set("Cache-Control", "public")
		return fault.New(fault.Limited, "test.limited").WithRetryAfter(1500e6)
	})
	k.ErrorPage(func(w http.ResponseWriter, r *http.Request, status int, f *fault.Error) error {
		if r.URL.Path == "/no-page" {
			return errors.New("no such template")
		}
		w.WriteHeader(status)
		_, err := io.WriteString(w, "page "+f.Code)
		return err
	})
	cases := []struct {
		name, method, target, accept string
		status                       int
		page                         bool
	}{
		{"a browser gets the page", "GET", "/nothing", "text/html,*/*", 404, true},
		{"a script gets the problem", "GET", "/nothing", "*/*", 404, false},
		{"the API never answers a page", "GET", "/auth/api/broken", "text/html", 500, false},
		{"a form gets the page", "POST", "/auth/signin", "text/html", 429, true},
		{"a page that fails becomes the problem", "GET", "/no-page", "text/html", 404, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := k.do(c.method, c.target, "", "Accept: "+c.accept, "Origin: https://portico.test")
			if w.Code != c.status || strings.HasPrefix(w.Body.String(), "page ") != c.page {
				t.Errorf("status %d, body %q; want %d, page %v", w.Code, w.Body, c.status, c.page)
			}
			if c.status == 429 && w.Header().Get("Retry-After") != "2" {
				t.Errorf("Retry-After %q, want 2: rounded up", w.Header().Get("Retry-After"))
			}
			if w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("Cache-Control %q, want no-store", w.Header().Get("Cache-Control"))
			}
		})
	}
}

func TestRequest_HasABudgetOfItsOwn(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /", func(w http.ResponseWriter, r *http.Request) error {
		budget.Of(r.Context()).Spend(time.Second)
		_, err := fmt.Fprint(w, budget.Of(r.Context()).Left(3*time.Second))
		return err
	})
	for range 2 {
		if left := k.do("GET", "/", "").Body.String(); left != "2s" {
			t.Errorf("after a second of three %s are left, want 2s", left)
		}
	}
}

func TestRequestID_IsOursInAnswerAndLog(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	var seen string
	k.Handle("GET /id", func(_ http.ResponseWriter, r *http.Request) error {
		seen = server.RequestID(r.Context())
		return nil
	})
	w := k.do("GET", "/id", "", "X-Request-Id: forged")
	if id := w.Header().Get("X-Request-Id"); id == "" || id == "forged" || id != seen || !strings.Contains(k.log.String(), id) {
		t.Errorf("answer has the id %q, the handler %q, log %s", id, seen, k.log)
	}
	if server.RequestID(t.Context()) != "" {
		t.Error("an id outside a request")
	}
}

// problemBody is a problem document as a client decodes it.
type problemBody struct {
	Type, Title, Code string
	Status            int
	Params            map[string]string
	Fields            []struct {
		Name, Code string
		Params     map[string]string
	}
	RetryAfter int    `json:"retry_after"`
	RequestID  string `json:"request_id"`
}

func problemOf(t *testing.T, body []byte) problemBody {
	t.Helper()
	var p problemBody
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("not a problem document: %v: %s", err, body)
	}
	return p
}

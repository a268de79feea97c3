package server_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/server"
)

// One response of each kind has the headers.
func TestHeaders_OnEveryAnswer(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /ok", ok)
	k.Handle("GET /shared", ok, server.EveryHost)
	k.Handle("GET /empty", func(http.ResponseWriter, *http.Request) error { return nil })
	k.Handle("GET /flushed", func(w http.ResponseWriter, _ *http.Request) error { return http.NewResponseController(w).Flush() })
	k.Handle("GET /redirect", func(w http.ResponseWriter, _ *http.Request) error { return server.SeeOther(w, "/ok") })
	k.Handle("GET /broken", func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Cache-Control", "public")
		w.Header().Set("Content-Security-Policy", "default-src *")
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Content-Disposition", "attachment")
		return errors.New("canary")
	})
	k.Handle("GET /panic", func(http.ResponseWriter, *http.Request) error { panic("canary") })
	k.Handle("POST /write", ok)
	k.Handle("GET /json", func(w http.ResponseWriter, _ *http.Request) error { return server.WriteJSON(w, 200, struct{}{}) })
	all := map[string]string{
		"Cache-Control":                "no-store",
		"Content-Security-Policy":      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           permissions,
		"Referrer-Policy":              "same-origin",
		"Strict-Transport-Security":    "max-age=63072000; includeSubDomains",
		"X-Content-Type-Options":       "nosniff",
		"Server":                       "",
		"X-Powered-By":                 "",
		"Content-Encoding":             "",
		"Content-Disposition":          "",
		"Access-Control-Allow-Origin":  "",
	}
	json := maps.Clone(all) // the headers that apply to any response
	for _, name := range []string{"Cross-Origin-Opener-Policy", "Permissions-Policy", "Referrer-Policy"} {
		json[name] = ""
	}
	foreign := maps.Clone(json)
	foreign["Strict-Transport-Security"] = "max-age=63072000"
	app := maps.Clone(all)
	app["Strict-Transport-Security"] = "max-age=63072000"
	for _, c := range []struct {
		method, target, host string
		status               int
		want                 map[string]string
	}{
		{"GET", "/ok", publicHost, 200, all},
		{"HEAD", "/ok", publicHost, 200, all},
		{"GET", "/json", publicHost, 200, json},
		{"HEAD", "/json", publicHost, 200, json},
		{"GET", "/empty", publicHost, 200, all},
		{"GET", "/flushed", publicHost, 200, all},
		{"GET", "/redirect", publicHost, 303, all},
		{"GET", "/missing", publicHost, 404, json},
		{"POST", "/ok", publicHost, 405, json},
		{"POST", "/write", publicHost, 403, json},
		{"GET", "/a//b", publicHost, 400, json},
		{"GET", "/ok", "PORTICO.test:443", 200, all},
		{"GET", "/shared", "app.test", 200, app},
		{"GET", "/ok", "evil.test", 421, foreign},
		{"GET", "/broken", publicHost, 500, json},
		{"GET", "/panic", publicHost, 500, json},
	} {
		t.Run(c.method+" "+c.host+c.target, func(t *testing.T) {
			t.Parallel()
			w := k.do(c.method, c.target, "", "Host: "+c.host, "Origin: https://evil.test")
			if w.Code != c.status {
				t.Errorf("status %d, want %d", w.Code, c.status)
			}
			sent := w.Result().Header // headers at the beginning of the response
			got := make(map[string]string)
			for name := range c.want {
				got[name] = strings.Join(sent[http.CanonicalHeaderKey(name)], " | ")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if sent.Get("X-Request-Id") == "" {
				t.Errorf("headers %v", sent)
			}
			if strings.Contains(w.Body.String(), "canary") {
				t.Errorf("the body tells the cause: %s", w.Body)
			}
		})
	}
}

const permissions = "accelerometer=(), autoplay=(), camera=(), display-capture=(), fullscreen=(), geolocation=(), gyroscope=(), " +
	"magnetometer=(), microphone=(), midi=(), payment=(), usb=(), xr-spatial-tracking=(), " +
	"publickey-credentials-create=(self), publickey-credentials-get=(self)"

// A Go map stores eight entries in one allocation. A ninth header costs the
// session check a tenth of its CPU time.
func TestHeaders_FewOnJSON(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /json", func(w http.ResponseWriter, _ *http.Request) error { return server.WriteJSON(w, 200, struct{}{}) })
	if got := k.do("GET", "/json", "").Header(); len(got) > 8 {
		t.Errorf("%d headers: %v", len(got), got)
	}
}

func TestHeaders_NoHSTSWithoutTLS(t *testing.T) {
	t.Parallel()
	k := newKit(t, "http://localhost:8080")
	if got := k.do("GET", "/", "", "Host: localhost:8080").Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("HSTS %q on a loopback http address", got)
	}
}

func TestHeaders_OneAnswerDoesNotChangeTheNext(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /add", func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Add("Cache-Control", "private")
		w.Header().Add("X-Request-Id", "second")
		return nil
	})
	for range 2 {
		if got := k.do("GET", "/add", "").Header(); len(got["Cache-Control"]) != 1 || got.Get("Cache-Control") != "private" || len(got["X-Request-Id"]) != 2 {
			t.Errorf("headers %v, want the handler's caching alone, and two ids", got)
		}
	}
	if got := k.do("GET", "/", "").Header()["Cache-Control"]; len(got) != 1 {
		t.Errorf("Cache-Control %v", got)
	}
}

func TestDocumentPolicy(t *testing.T) {
	t.Parallel()
	want := "default-src 'none'; script-src 'self'; style-src 'sha256-abc='; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'; report-uri /auth/api/csp-report; report-to csp"
	if got := server.DocumentPolicy([]string{"sha256-abc="}); got != want {
		t.Errorf("policy %s\nwant   %s", got, want)
	}
	if got := server.DocumentPolicy(nil); !strings.Contains(got, "style-src 'none'") || strings.Contains(got, "unsafe") {
		t.Errorf("policy without a style: %s", got)
	}
	k := httpsKit(t)
	k.Handle("GET /page", func(w http.ResponseWriter, _ *http.Request) error {
		server.SetPolicy(w, want)
		_, err := io.WriteString(w, "page")
		return err
	})
	w := k.do("GET", "/page", "")
	if w.Header().Get("Content-Security-Policy") != want || w.Header().Get("Reporting-Endpoints") != `csp="/auth/api/csp-report"` {
		t.Errorf("headers %v", w.Header())
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	k, reports := httpsKit(t), server.NewReports()
	k.Mount(reports)
	const legacy, modern = "application/csp-report", "application/reports+json"
	cases := []struct {
		contentType, body string
		status            int
	}{
		{legacy, `{"csp-report":{"effective-directive":"script-src-elem","blocked-uri":"https://canary.test/"}}`, 204},
		{legacy, `{"csp-report":{"violated-directive":"script-src-elem"}}`, 204},
		{modern, `[{"type":"csp-violation","body":{"effectiveDirective":"img-src"}},{"body":{"effectiveDirective":"canary"}}]`, 204},
		{modern, `not JSON`, 400},
		{"text/plain", `{}`, 415},
		{legacy, strings.Repeat("x", 16<<10+1), 413},
	}
	for _, c := range cases {
		w := k.do("POST", server.ReportPath, c.body, "Content-Type: "+c.contentType, "Origin: null")
		if w.Code != c.status {
			t.Errorf("%s %.20s: status %d, want %d", c.contentType, c.body, w.Code, c.status)
		}
	}
	want := map[string]uint64{"script-src-elem": 2, "img-src": 1, "other": 1}
	if diff := cmp.Diff(want, reports.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if strings.Contains(k.log.String(), "canary") {
		t.Error("a report is in the log")
	}
}

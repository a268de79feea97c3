package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portico/internal/fault"
	"portico/internal/goldentest"
	"portico/internal/server"
)

// The golden file has the whole response for each kind of fault, without the
// request id.
func TestProblem_Golden(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, language string
		err            error
	}{
		{"invalid_fields", "", fault.InvalidFields(
			fault.Field{Name: "email", Code: server.CodeFieldText},
			fault.Field{Name: "password", Code: server.CodeFieldType, Params: map[string]string{"min": "8"}})},
		{"limited", "", fault.New(fault.Limited, "test.limited").WithRetryAfter(90 * time.Second)},
		{"params", "", fault.New(fault.Invalid, "test.count").WithParams(map[string]string{"count": "3"})},
		{"internal", "", errors.New("dial tcp 10.1.2.3:5432: canary refused")},
		{"internal_german", "de-AT, en;q=0.5", errors.New("canary")},
		{"timeout", "", fmt.Errorf("read: %w", context.DeadlineExceeded)},
		{"wrapped", "", fmt.Errorf("canary: %w", fault.New(fault.Missing, server.CodeRouteMissing).WithCause(io.EOF))},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := httpsKit(t)
			k.Handle("GET /fails", func(http.ResponseWriter, *http.Request) error { return c.err })
			w := k.do("GET", "/fails", "", "Accept-Language: "+c.language)
			got := fmt.Sprintf("%d\nContent-Type: %s\nRetry-After: %s\n\n%s\n", w.Code, w.Header().Get("Content-Type"), w.Header().Get("Retry-After"),
				strings.ReplaceAll(w.Body.String(), w.Header().Get("X-Request-Id"), "REQUEST-ID"))
			goldentest.File(t, "testdata/problem/"+c.name+".txt", got)
			if strings.Contains(got, "canary") {
				t.Error("the answer tells the cause")
			}
		})
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	kinds := map[fault.Kind]int{
		fault.Invalid: 422, fault.Unauthenticated: 401, fault.Forbidden: 403, fault.Missing: 404, fault.Conflict: 409,
		fault.Expired: 410, fault.Limited: 429, fault.Unavailable: 503, fault.Internal: 500, fault.Kind(200): 500,
	}
	for kind, want := range kinds {
		if got := server.Status(fault.New(kind, "test.kind")); got != want {
			t.Errorf("kind %d: status %d, want %d", kind, got, want)
		}
	}
	codes := map[string]int{
		server.CodeMalformed: 400, server.CodeMethodNotAllowed: 405, server.CodeLengthRequired: 411, server.CodeTooLarge: 413,
		server.CodeTargetTooLong: 414, server.CodeUnsupported: 415, server.CodeHost: 421, server.CodeCookiesTooLarge: 431,
	}
	for code, want := range codes {
		if got := server.Status(fmt.Errorf("wrapped: %w", fault.New(fault.Invalid, code))); got != want {
			t.Errorf("code %s: status %d, want %d", code, got, want)
		}
	}
}

func TestProblem_KeepsCookies(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	cookie := sessionCookie(t, "https://portico.test")
	k.Handle("GET /session", func(w http.ResponseWriter, r *http.Request) error {
		cookie.Read(w, r)
		return fault.New(fault.Unauthenticated, "test.session")
	})
	w := k.do("GET", "/session", "", "Cookie: "+cookie.Name()+"=%")
	if w.Code != 401 || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("status %d, Set-Cookie %q; want a 401 that clears", w.Code, w.Header().Get("Set-Cookie"))
	}
}

func TestProblem_ClientThatHasGone(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /slow", func(_ http.ResponseWriter, r *http.Request) error { return r.Context().Err() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	k.ServeHTTP(w, request("GET", "/slow", "").WithContext(ctx))
	if w.Code != 503 {
		t.Errorf("status %d: a client that is still there would believe it", w.Code)
	}
	if log := k.log.String(); !strings.Contains(log, `"status":499`) || strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("log %s; want 499 and no error", log)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	limited := fault.New(fault.Limited, "test.limited").WithRetryAfter(90 * time.Second)
	if got := server.Words(c, "en", limited); got != "Wait 2 minutes." {
		t.Errorf("words with a wait: %q", got)
	}
	if limited.Params != nil {
		t.Errorf("the fault got the params %v", limited.Params)
	}
	guessable := fault.Field{Name: "password", Code: "test.guessable", Params: map[string]string{"reason": "year"}}
	if got := server.FieldWords(c, "en", guessable); got != "Too easy: a year." || guessable.Params["reason"] != "year" {
		t.Errorf("words with a reason: %q, params %v", got, guessable.Params)
	}
	if got := server.Words(c, "de", fault.New(fault.Internal, fault.CodeInternal)); got != "Ein Fehler." {
		t.Errorf("German words: %q", got)
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /auth/confirm-link", ok)
	k.Handle("GET /auth/api/session", ok, server.Quiet)
	k.Handle("GET /silent", func(http.ResponseWriter, *http.Request) error { return nil })
	k.Handle("GET /shown-again", func(w http.ResponseWriter, _ *http.Request) error {
		server.Note(w, fault.New(fault.Conflict, "test.noted").WithCause(errors.New("noted cause")))
		w.WriteHeader(http.StatusConflict)
		return nil
	})
	k.Handle("GET /fails", func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.Invalid, "test.code").WithCause(errors.New("why\n{\"level\":\"ERROR\"}" + strings.Repeat("x", 1<<20)))
	})
	k.do("GET", "/auth/confirm-link?token=canary", "", "Cookie: a=canary", "Authorization: Bearer canary", "User-Agent: canary", "Referer: https://x/?canary")
	k.do("GET", "/canary", "")
	k.do("CANARY", "/auth/confirm-link", "")
	k.do("GET", "/auth/api/session", "")
	k.do("GET", "/fails", "")
	k.do("GET", "/shown-again", "")
	k.do("GET", "/silent", "")
	log := k.log.String()
	for _, want := range []string{`"route":"GET /auth/confirm-link"`, `"method":"other"`, `"level":"DEBUG"`, `"client":"192.0.2.1"`, `"code":"test.code"`, `"cause":"why\n`, `"bytes":2`, `"code":"test.noted","cause":"noted cause"`, `"route":"GET /silent","status":200`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%.2000s", want, log)
		}
	}
	if strings.Contains(strings.ToLower(log), "canary") {
		t.Errorf("the log has input of the client:\n%.2000s", log)
	}
	if lines := strings.Count(log, "\n"); lines != 7 || len(log) > 10_000 {
		t.Errorf("%d lines and %d bytes for 7 requests", lines, len(log))
	}
}

package ops_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/internal/server/ops"
)

func TestNew(t *testing.T) {
	t.Parallel()
	figures := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "figures") })
	for _, c := range []struct {
		name, method, path string
		stopping           bool
		ping               error
		status             int
		body               string
	}{
		{"alive", "GET", "/livez", true, errors.New("x"), 200, "alive\n"},
		{"ready", "GET", "/readyz", false, nil, 200, "ready\n"},
		{"stopping", "GET", "/readyz", true, nil, 503, "stopping\n"},
		{"no database", "GET", "/readyz", false, errors.New("x"), 503, "the database does not answer\n"},
		{"a database that is read-only", "GET", "/readyz", false, fmt.Errorf("x: %w", ops.ErrReadOnly), 503, "the database takes no writes\n"},
		{"no keys", "GET", "/readyz", false, ops.ErrKeyless, 503, "the signing keys cannot be read: see the log\n"},
		{"figures", "GET", "/metrics", false, nil, 200, "figures"},
		{"a write", "POST", "/metrics", false, nil, 405, "Method Not Allowed\n"},
		{"nothing else", "GET", "/debug/pprof/", false, nil, 404, "404 page not found\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, r := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil)
			r.Host = "127.0.0.1:9080"
			ops.New(ops.Config{
				Stopping: func() bool { return c.stopping },
				Ping: func(ctx context.Context) error {
					if _, bounded := ctx.Deadline(); !bounded {
						t.Error("the database may take forever")
					}
					return c.ping
				},
				Metrics: figures,
			}).ServeHTTP(w, r)
			if w.Code != c.status || w.Body.String() != c.body {
				t.Errorf("%d %q, want %d %q", w.Code, w.Body, c.status, c.body)
			}
			if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("the header is %v", w.Header())
			}
		})
	}
}

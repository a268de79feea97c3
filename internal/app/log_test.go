package app

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/internal/store/pgtest"
)

func TestLog_NewDatabase(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	if !onSQLite(cfg) {
		cfg.DatabaseURL = pgtest.Empty(t)
	}
	for start, want := range []bool{true, false} {
		var log bytes.Buffer
		open(t, cfg, Options{Dist: dist(), Log: slog.New(slog.NewTextHandler(&log, nil))}).end(t)
		if got := strings.Contains(log.String(), "the database is new"); got != want {
			t.Errorf("start %d tells of a new database: %t\n%s", start+1, got, &log)
		}
	}
}

// The log lists pages and errors, and not each script that a page loads.
func TestLog_LeavesOutAssets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer a.end(t)
	a.mount(t)
	for target, want := range map[string]int{"/auth/signin": 1, "/auth/assets/empty.js": 0, "/auth/assets/none.js": 1} {
		log.Reset()
		r := httptest.NewRequest("GET", target, nil)
		r.Host = "localhost"
		a.ServeHTTP(httptest.NewRecorder(), r)
		if got := strings.Count(log.String(), "msg=request"); got != want {
			t.Errorf("%s is logged %d times, want %d: %s", target, got, want, &log)
		}
	}
}

package app

import (
	"bytes"
	"strings"
	"testing"

	"portico/internal/store/archive"
)

// An installation that a server uses is left alone, however empty it is.
func TestImport_Served(t *testing.T) {
	t.Parallel()
	cfg := settings(t, t.TempDir())
	from := open(t, settings(t, t.TempDir()), Options{})
	defer from.end(t)
	var text bytes.Buffer
	if _, err := from.Export(t.Context(), "", &text, true, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	r := run(t, open(t, cfg, Options{Dist: dist()}))
	defer func() {
		r.stop()
		if err := <-r.stopped; err != nil {
			t.Error(err)
		}
		r.end(t)
	}()
	if status, body := r.get(r.public + "/auth/api/session"); status != 401 {
		t.Fatal(status, body)
	}
	a, err := archive.Begin(&text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Import(t.Context(), cfg, a, ImportOptions{Tell: func(step string) { t.Log(step) }, Report: func(int64) {}})
	if err == nil || !strings.Contains(err.Error(), "stop it first") && !strings.Contains(err.Error(), "stop every node first") {
		t.Errorf("%v", err)
	}
}

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/outbox"
	"portico/internal/store"
)

// --waiting drops emails, and leaves the messages that tell clients of ended sessions.
func TestMailDrop_Waiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.db")
	fill(t, path, 1)
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Write(t.Context(), func(tx *store.Tx) error {
		for lane := range outbox.Lane(outbox.Lanes) {
			if err := tx.InsertMessage(t.Context(), outbox.Record{ID: lane.Name(), Template: "x", Lane: lane}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	code := Run(t.Context(), Process{
		Args: []string{"mail", "drop", "--waiting"}, Environ: []string{"PORTICO_DATABASE_URL=sqlite:" + path, "PORTICO_SECRET_FILE=" + path + ".key"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
	})
	if dropped := out.String(); code != 0 || strings.Count(dropped, "\n") != 2 || !strings.Contains(dropped, "mail\t") || !strings.Contains(dropped, "awaited\t") {
		t.Errorf("exit code %d, %s, dropped:\n%s", code, errs.String(), dropped)
	}
}

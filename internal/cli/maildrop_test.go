package cli

import (
	"strings"
	"testing"

	"portico/internal/outbox"
	"portico/internal/store"
)

// --waiting drops emails, and leaves the messages that tell clients of ended sessions.
func TestMailDrop_Waiting(t *testing.T) {
	t.Parallel()
	calls, s := installed(t)
	err := s.Write(t.Context(), func(tx *store.Tx) error {
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
	if dropped := calls("mail", "drop", "--waiting"); strings.Count(dropped, "\n") != 2 || !strings.Contains(dropped, "mail\t") || !strings.Contains(dropped, "awaited\t") {
		t.Errorf("dropped:\n%s", dropped)
	}
}

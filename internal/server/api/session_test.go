package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/server/api"
	"portico/internal/server/form"
)

// The request is a use of the session, from which the time without use is counted.
func TestSession_IdleEndIsOfThisUse(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Person("mara@example.org")
	b := s.Browser()
	b.SignIn("mara@example.org")
	s.Clock.Advance(s.Config.Session.Idle - time.Minute)
	var current api.Current
	if err := json.Unmarshal([]byte(b.Open("/auth/api/session").Body), &current); err != nil {
		t.Fatal(err)
	}
	if want := form.MomentOf(s.Clock.Now().Add(s.Config.Session.Idle)); current.Session.IdleExpiresAt != want {
		t.Errorf("without use it ends at %s, want %s", current.Session.IdleExpiresAt, want)
	}
}

package app

import (
	"context"
	"testing"

	"portico/internal/outbox"
)

// A message has no lane, if a node of the version before 0015_lane.sql wrote it. One to an OpenID client is no email
// all the same.
func TestDeliver_ByTemplate(t *testing.T) {
	t.Parallel()
	emails := 0
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist(), Deliver: func(context.Context, outbox.Message) error { emails++; return nil }})
	t.Cleanup(func() { a.end(t) })
	for template, want := range map[string]int{"recover": 1, outbox.LogoutTemplate: 0, outbox.GuestLogoutTemplate: 0} {
		emails = 0
		if err := a.deliver(t.Context(), outbox.Message{Template: template, To: "gone"}); emails != want {
			t.Errorf("%s: %d emails, %v", template, emails, err)
		}
	}
}

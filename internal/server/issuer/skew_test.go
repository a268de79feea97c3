package issuer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// A client whose clock is two minutes off takes its ID token: the token has no nbf, at
// which clients look, and ends in an hour.
func TestIDToken_ClientApart(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.tokens(s.signedIn("mara@example.org")).ID
	if text := payload(t, id); strings.Contains(text, `"nbf"`) {
		t.Errorf("an ID token begins at a time: %s", text)
	}
	provider, err := oidc.NewProvider(t.Context(), s.Origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []time.Duration{-2 * time.Minute, 2 * time.Minute} {
		now := s.Clock.Now().Add(by)
		if _, err := provider.Verifier(&oidc.Config{ClientID: "rp", Now: func() time.Time { return now }}).Verify(t.Context(), id); err != nil {
			t.Errorf("a client whose clock is off by %v: %v", by, err)
		}
	}
}

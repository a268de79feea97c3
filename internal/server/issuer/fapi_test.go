package issuer_test

import (
	"testing"
	"time"
)

// Modules of the Foundation's plan fapi2-security-profile-final-test-plan, by their
// names without that beginning. See TestFoundation.
func TestFoundation_FAPI2(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	run := func(module string, check func(t *testing.T)) { t.Run(module, check) }
	exchange := func(changes ...any) reply {
		return s.token(s.asserted(redemption(s.code(b, "client_id", "keyed")), "keyed", changes...))
	}
	run("ensure-client-assertion-in-token-endpoint", func(t *testing.T) {
		s.wants("without an assertion", s.token(redemption(s.code(b, "client_id", "keyed"), "client_id", "keyed", "client_secret", "")), 401, "invalid_client")
	})
	for module, changes := range map[string][]any{
		"ensure-client-assertion-with-exp-is-5-minutes-in-past-fails": {"exp", s.Clock.Now().Add(-5 * time.Minute).Unix()},
		"ensure-client-assertion-with-wrong-aud-fails":                {"aud", "https://rp.test"},
		"ensure-client-assertion-with-no-sub-fails":                   {"sub", nil},
	} {
		run(module, func(t *testing.T) { s.wants(module, exchange(changes...), 401, "invalid_client") })
	}
}

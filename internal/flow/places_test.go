package flow_test

import (
	"testing"

	"portico/internal/flow"
)

// A session keeps its network only while places are shown. The same holds for a session
// that begins with a new password.
func TestSession_KeepsItsNetworkForPlaces(t *testing.T) {
	t.Parallel()
	for want, shown := range map[string]bool{"": false, "192.0.2.1/32": true} {
		b := setup(t, func(c *flow.Config) { c.Places = shown })
		v := b.visitor("192.0.2.1/32")
		v.register("mara@example.com")
		if got := v.found().Session.Peer; got != want {
			t.Errorf("places %t: the network is %q, want %q", shown, got, want)
		}
		v.must(v.Owner.ChangePassword(v.Context(), v.Caller, v.found(), another, another))
		if got := v.found().Session.Peer; got != want {
			t.Errorf("places %t: after a new password the network is %q, want %q", shown, got, want)
		}
	}
}

package doctor

import (
	"net/http/httptest"
	"testing"
	"time"

	"portico/internal/clock"
)

// A certificate is reported from 14 days before its end.
func TestCertificate_BeforeItsEnd(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	end := server.Certificate().NotAfter
	for left, want := range map[time.Duration]struct {
		state State
		found string
	}{
		certificateLeft:             {OK, "valid for 14 days"},
		certificateLeft - time.Hour: {Warning, "expires in 335h"},
		time.Hour:                   {Warning, "expires in 1h"},
		0:                           {Failed, "has expired"},
	} {
		d := &doctor{clock: clock.NewManual(end.Add(-left))}
		r := &report{check: "certificate"}
		d.certificate(t.Context(), r, server.Listener.Addr().String(), "example.com")
		holds(t, r.found, "certificate", want.state, want.found)
	}
	r := &report{check: "certificate"}
	(&doctor{clock: clock.NewManual(end.Add(-certificateLeft))}).certificate(t.Context(), r, server.Listener.Addr().String(), "elsewhere.test")
	holds(t, r.found, "certificate", Failed, "is for other names")
}

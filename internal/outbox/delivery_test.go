package outbox

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"portico/internal/clock"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		failures int
		want     time.Duration
	}{
		{1, 30 * time.Second}, {2, time.Minute}, {3, 2 * time.Minute}, {7, 32 * time.Minute},
		{8, time.Hour}, {9, time.Hour}, {1000, time.Hour},
	}
	for _, tt := range tests {
		for jitter, factor := range map[float64]float64{0: 0.75, 0.5: 1, 1: 1.25} {
			want := time.Duration(float64(tt.want) * factor)
			if got := backoff(tt.failures, jitter); got != want {
				t.Errorf("backoff(%d, %v) = %v, want %v", tt.failures, jitter, got, want)
			}
		}
	}
}

func TestReason_IsOneShortLine(t *testing.T) {
	t.Parallel()
	got := reason(errors.New("550 no\r\n\x1b[31m\u202e such " + strings.Repeat("ü", 1000)))
	if len(got) > reasonLimit || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\x1b\u202e") {
		t.Errorf("%q", got)
	}
}

func TestLease_OutlastsTheDelivery(t *testing.T) {
	t.Parallel()
	if Lease-2*clock.Uncorrected < deliverLimit || Lease+poll > time.Minute {
		t.Errorf("deliver %v, lease %v, poll %v", deliverLimit, Lease, poll)
	}
}

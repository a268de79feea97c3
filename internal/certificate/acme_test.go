package certificate

import (
	"testing"
	"time"
)

func TestHeld_DueByAClockThatWasSet(t *testing.T) {
	t.Parallel()
	h := &held{next: today.Add(longestWait)}
	for by, want := range map[time.Duration]bool{
		-365 * 24 * time.Hour: true,
		-time.Second:          true,
		0:                     false,
		longestWait - 1:       false,
		longestWait:           true,
		365 * 24 * time.Hour:  true,
	} {
		if got := h.due(today.Add(by)); got != want {
			t.Errorf("%v after the attempt: due %v", by, got)
		}
	}
}

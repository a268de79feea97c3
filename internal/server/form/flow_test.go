package form_test

import (
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/server/form"
)

func TestABrowserCountsTheSecondsOfTheServer(t *testing.T) {
	t.Parallel()
	sent := time.Date(2026, time.January, 2, 3, 4, 5, 900_000_000, time.UTC)
	for _, since := range []time.Duration{0, 50 * time.Millisecond, 150 * time.Millisecond, 29 * time.Second} {
		v := flow.View{ResendAt: sent.Add(30 * time.Second), Now: sent.Add(since)}
		f := form.FlowOf(v)
		left := v.ResendAt.Sub(v.Now)
		if counted := time.Duration(f.ResendAt-f.Now) * time.Second; counted < left || counted >= left+time.Second {
			t.Errorf("%v after the email the browser waits %v, want %v rounded up", since, counted, left)
		}
	}
	if f := form.FlowOf(flow.View{ResendAt: sent, Now: sent.Add(time.Minute)}); f.ResendAt > f.Now {
		t.Errorf("after its time the browser still waits %d s", f.ResendAt-f.Now)
	}
	if at := form.FlowOf(flow.View{}).ResendAt; at != 0 {
		t.Errorf("without an email, resend_at is %d, want 0", at)
	}
}

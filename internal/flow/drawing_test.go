package flow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"portico/internal/fault"
	"portico/internal/flow"
)

// A portrait waits no longer than its request, and few wait, also after a reload.
func TestPortrait_WaitsForItsTurn(t *testing.T) {
	t.Parallel()
	var cfg flow.Config
	b, v := registered(t, func(c *flow.Config) { cfg = *c })
	found := v.found()
	release := b.Owner.HoldDrawing()
	cfg.Before = &b.All
	b.All = flow.New(cfg)
	_, most := b.Owner.Drawing()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	ended := make(chan error, most)
	for range most - 1 {
		go func() { ended <- b.Owner.SetPortrait(ctx, v.Caller, found, nil) }()
	}
	for now := 0; now < most; now, _ = b.Owner.Drawing() {
		select {
		case err := <-ended:
			t.Fatalf("a portrait did not wait: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	for range 20 { // as often as an account may give one a day: none of these counts
		err := b.Owner.SetPortrait(t.Context(), v.Caller, found, nil)
		if !errors.Is(err, flow.DrawingBusy) || fault.From(err).RetryAfter <= 0 {
			t.Errorf("one more than may wait: %v", err)
		}
	}
	leave()
	for range most - 1 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a request that has ended: %v", err)
		}
	}
	release()
	if now, _ := b.Owner.Drawing(); now != 0 {
		t.Errorf("%d places are taken when nobody waits", now)
	}
	if err := b.Owner.SetPortrait(t.Context(), v.Caller, found, nil); !errors.Is(err, flow.PortraitUnusable) {
		t.Errorf("after all have left: %v", err)
	}
}

func TestPortrait_IsNotDecodedTooLate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := flow.NewDrawing()
	for range 50 { // a free turn and the end of the context are chosen from at random
		if _, err := flow.Draw(d, ctx, nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("a request that has ended: %v", err)
		}
	}
}

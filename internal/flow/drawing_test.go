package flow_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"portico/internal/fault"
	"portico/internal/flow"
)

// A portrait waits no longer than its request, and few accounts give one, each of them one, also after a reload.
func TestPortrait_WaitsForItsTurn(t *testing.T) {
	t.Parallel()
	var cfg flow.Config
	b, v := registered(t, func(c *flow.Config) { cfg = *c })
	found := v.found()
	release := b.Owner.HoldDrawing()
	enter := func(id string) (leave func()) {
		t.Helper()
		leave, err := b.Owner.EnterPortrait(id)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	refused := func(id string) {
		t.Helper()
		if _, err := b.Owner.EnterPortrait(id); !errors.Is(err, flow.DrawingBusy) || fault.From(err).RetryAfter <= 0 {
			t.Errorf("%s enters: %v", id, err)
		}
	}
	leave := enter("0")
	refused("0")
	cfg.Before = &b.All
	b.All = flow.New(cfg)
	refused("0")
	for i := range flow.DrawingRoom - 1 {
		enter(strconv.Itoa(i + 1))
	}
	refused("one more")
	leave()
	leave = enter("0")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Owner.SetPortrait(ctx, v.Caller, found, nil) }()
	select {
	case err := <-ended:
		t.Fatalf("a portrait did not wait: %v", err)
	case <-time.After(time.Millisecond):
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended: %v", err)
	}
	release()
	leave()
	if err := b.Owner.SetPortrait(t.Context(), v.Caller, found, nil); !errors.Is(err, flow.PortraitUnusable) {
		t.Errorf("after others have left: %v", err)
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

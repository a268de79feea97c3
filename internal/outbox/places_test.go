package outbox_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/outbox"
)

// A client that does not answer holds its places alone. The others get their messages at once, and
// its own messages wait without a claim until one of its places is free.
func TestRun_HangingClientHoldsItsPlacesAlone(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		const many, places = 50, 4
		release := make(chan struct{})
		runner, _ := r.runAs(outbox.RunnerConfig{Lane: outbox.Logouts, Write: r.write, Parallel: 10, PerClient: places}, func(ctx context.Context, m outbox.Message) error {
			if m.To != "hanging" {
				return nil
			}
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return failure{}
			}
		})
		synctest.Wait()
		start := time.Now()
		err := r.write(t.Context(), func(tx outbox.Store) (err error) {
			for i := 0; i < many && err == nil; i++ {
				err = r.outbox.Enqueue(t.Context(), tx, outbox.Message{Template: outbox.LogoutTemplate, To: "hanging"})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range many {
			r.enqueue(outbox.Message{Template: outbox.LogoutTemplate, To: "client " + strconv.Itoa(i%3)})
		}
		synctest.Wait()
		if n := len(r.deliveries()); n != many+places || runner.Totals().Sent != many {
			t.Fatalf("%d deliveries, %+v; want %d to the others and %d under way", n, runner.Totals(), many, places)
		}
		close(release)
		synctest.Wait()
		if got := runner.Totals(); got != (outbox.Totals{Sent: 2 * many}) || len(r.deliveries()) != 2*many {
			t.Errorf("%+v after %d deliveries", got, len(r.deliveries()))
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the last message was sent after %v", took)
		}
	})
}

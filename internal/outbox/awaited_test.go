package outbox_test

import (
	"context"
	"testing"
	"testing/synctest"

	"portico/internal/outbox"
)

// Emails to very many people are due, and the mail server is slow. The code that a visitor waits
// for is sent at once. The others go on, also while codes take all of their places.
func TestRun_AwaitedDoesNotWaitBehindOthers(t *testing.T) {
	for name, tt := range map[string]struct{ crowd, late bool }{
		"a code behind notices": {crowd: false, late: true},
		"a notice behind codes": {crowd: true, late: false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *room) {
				const many, parallel = 1000, 4
				err := r.write(t.Context(), func(tx outbox.Store) (err error) {
					for i := 0; i < many && err == nil; i++ {
						err = r.outbox.Enqueue(t.Context(), tx, outbox.Message{Template: "notice", To: "all@x.test", Awaited: tt.crowd})
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				release := make(chan struct{})
				slow := func(ctx context.Context, m outbox.Message) error {
					if m.ID == "late" {
						return nil
					}
					select {
					case <-release:
						return nil
					case <-ctx.Done():
						return failure{}
					}
				}
				for _, lane := range []outbox.Lane{outbox.Mail, outbox.Awaited} {
					r.runAs(outbox.RunnerConfig{Lane: lane, Write: r.write, Parallel: parallel}, slow)
				}
				synctest.Wait()
				if n := len(r.deliveries()); n != parallel {
					t.Fatalf("%d deliveries to very many people at a time, want %d", n, parallel)
				}
				r.enqueue(outbox.Message{ID: "late", Awaited: tt.late})
				synctest.Wait()
				if all := r.deliveries(); len(all) != parallel+1 || all[parallel].ID != "late" || r.counts().Waiting != many {
					t.Errorf("%d deliveries, %+v: the last email waits", len(all), r.counts())
				}
				close(release)
				synctest.Wait()
				if n := len(r.deliveries()); n != many+1 {
					t.Errorf("%d deliveries in the end", n)
				}
			})
		})
	}
}

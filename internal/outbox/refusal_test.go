package outbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/outbox"
	"portico/internal/store"
)

// answered is a failure with the server's answer.
type answered struct {
	failure
	refused bool
}

func (a answered) Refused() bool { return a.refused }

func (r *room) refusal() (outbox.Refusal, bool) {
	r.t.Helper()
	var found outbox.Refusal
	var ok bool
	err := r.store.Read(r.t.Context(), func(tx *store.Tx) (err error) {
		found, ok, err = tx.RefusalOf(r.t.Context(), []byte("box"))
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return found, ok
}

func TestRun_KeepsWhatTheServerRefused(t *testing.T) {
	permanent := answered{failure{permanent: true}, true}
	for name, tt := range map[string]struct {
		failure error
		told    bool
		want    bool
	}{
		"refused for good":       {permanent, true, true},
		"nobody is told":         {permanent, false, false},
		"refused for now":        {answered{failure{}, false}, true, false},
		"no answer for good":     {failure{permanent: true}, true, false},
		"not refused, for good":  {answered{failure{permanent: true}, false}, true, false},
		"outcome is not certain": {failure{uncertain: true}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, r *room) {
				r.run(func(context.Context, outbox.Message) error { return tt.failure })
				m := outbox.Message{}
				if tt.told {
					m.Told = &outbox.Told{Mailbox: []byte("box"), AskedAt: time.Now().UTC()}
				}
				r.enqueue(m)
				synctest.Wait()
				got, ok := r.refusal()
				if ok != tt.want || ok && !got.AskedAt.Equal(m.Told.AskedAt) {
					t.Errorf("kept %v %+v, want %v", ok, got, tt.want)
				}
			})
		})
	}
}

// A new email is not judged by the answer to an earlier one.
func TestEnqueue_ForgetsTheRefusal(t *testing.T) {
	bubble(t, func(t *testing.T, r *room) {
		var failure error = answered{failure{permanent: true}, true}
		r.run(func(context.Context, outbox.Message) error { return failure })
		told := &outbox.Told{Mailbox: []byte("box"), AskedAt: time.Now().UTC()}
		r.enqueue(outbox.Message{Told: told})
		synctest.Wait()
		failure = nil
		r.enqueue(outbox.Message{})
		synctest.Wait()
		if _, ok := r.refusal(); !ok {
			t.Error("an email that nobody is told about has changed the answer")
		}
		r.enqueue(outbox.Message{Told: told})
		synctest.Wait()
		if _, ok := r.refusal(); ok {
			t.Error("the mailbox counts as refused after a delivery")
		}
	})
}

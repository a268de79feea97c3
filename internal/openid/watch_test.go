package openid_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/openid"
	"portico/internal/secret"
)

// crowded has sessions that have ended by age, each with a hundred names at a client.
type crowded struct {
	openid.Store
	due []openid.Watched
}

func (s *crowded) DueWatches(context.Context, time.Time, int) ([]openid.Watched, error) {
	return s.due, nil
}
func (s *crowded) Unwatch(context.Context, string) error { return nil }

func (s *crowded) EndGrantsOf(_ context.Context, _, sessionID string, _ bool, _ time.Time) (list []openid.Ended, err error) {
	for n := range 100 {
		list = append(list, openid.Ended{ClientID: "rp", SID: fmt.Sprint(sessionID, n)})
	}
	return list, nil
}

// The messages about one such session are enough for a transaction.
func TestEndAged_ManyMessages(t *testing.T) {
	t.Parallel()
	now := time.Now()
	k := openid.NewKeeper(openid.Config{Clock: clock.NewManual(now), Key: secret.NewKey(), IdleEnd: func(seen time.Time) time.Time { return seen }})
	s := &crowded{due: []openid.Watched{{SessionID: "one", AccountID: "a"}, {SessionID: "two", AccountID: "a"}}}
	if list, more, err := k.EndAged(t.Context(), s); err != nil || len(list) != 1 || !more {
		t.Errorf("%d sessions, more: %v, %v", len(list), more, err)
	}
}

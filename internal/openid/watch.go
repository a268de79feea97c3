package openid

import (
	"context"
	"time"
)

const (
	// watchBatch is how many sessions one transaction looks at. It has some statements for each.
	watchBatch = 10
	// watchTold is after how many messages to clients it looks at no further session.
	watchTold = 100
)

// watchSlack is how much longer than its time a session is left alone. A node may write
// the last uses of its sessions a little later.
const watchSlack = 2 * time.Minute

// Watched is a session whose end by age or idleness a client wants to know.
type Watched struct {
	SessionID string
	AccountID string    // "" if the session has ended in another way
	Seen      time.Time // last use of the session
	Ends      time.Time // absolute end
}

// WatchStore has the operations of the database for these sessions.
type WatchStore interface {
	// Watch adds a session, or sets when it is looked at next.
	Watch(ctx context.Context, sessionID string, at time.Time) error
	// DueWatches returns sessions to look at, the longest due first.
	DueWatches(ctx context.Context, now time.Time, limit int) ([]Watched, error)
	Unwatch(ctx context.Context, sessionID string) error
}

// watchOver remembers that a client wants to know when the session of a grant ends.
func (k *Keeper) watchOver(ctx context.Context, tx WatchStore, l Live) error {
	return tx.Watch(ctx, l.Grant.SessionID, k.lookAt(l.SessionSeen, l.SessionEnds))
}

// lookAt returns when a session will have ended by itself, if it is not used.
func (k *Keeper) lookAt(seen, ends time.Time) time.Time {
	end := k.idleEnd(seen)
	if ends.Before(end) {
		end = ends
	}
	return end.Add(watchSlack)
}

// Aged is what clients knew of a session that has ended by age or idleness.
type Aged struct {
	AccountID string
	Told      []Ended
}

// EndAged ends what clients have obtained from sessions that have ended by age or idleness,
// once for each. It looks at a batch of sessions and reports whether more may be due.
func (k *Keeper) EndAged(ctx context.Context, tx Store) (list []Aged, more bool, err error) {
	now := k.clock.Now()
	due, err := tx.DueWatches(ctx, now, watchBatch)
	if err != nil {
		return nil, false, err
	}
	messages := 0
	for _, w := range due {
		if messages >= watchTold {
			return list, true, nil
		}
		if at := k.lookAt(w.Seen, w.Ends); w.AccountID != "" && now.Before(at) {
			if err := tx.Watch(ctx, w.SessionID, at); err != nil {
				return nil, false, err
			}
			continue
		}
		if err := tx.Unwatch(ctx, w.SessionID); err != nil {
			return nil, false, err
		}
		if w.AccountID == "" {
			continue
		}
		told, err := k.SignOut(ctx, tx, w.AccountID, w.SessionID, false)
		if err != nil {
			return nil, false, err
		}
		list, messages = append(list, Aged{w.AccountID, told}), messages+len(told)
	}
	return list, len(due) == watchBatch, nil
}

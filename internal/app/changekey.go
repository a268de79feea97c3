package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/internal/audit"
	"portico/internal/clock"
	"portico/internal/cluster"
	"portico/internal/masterkey"
	"portico/internal/store"
)

// KeyChange is the result of ChangeKey.
type KeyChange struct {
	Current   string   `json:"current"`           // the public name of the key from now on
	Former    string   `json:"former"`            // of the key before it
	Rewritten int      `json:"rewritten"`         // rows that were sealed again
	Unopened  []string `json:"unopened"`          // what no key opens
	Needs     []string `json:"needs_former_keys"` // for what the former key is still needed
}

// ErrOneKey says that there is no key to change to.
var ErrOneKey = errors.New("there is one master key: name the file of the next one in secret_next_file, make it with 'portico secret new', and reload every node")

// ErrFormer says that the change would return to the former key.
var ErrFormer = errors.New("secret_next_file names the former key, and the change to secret_file was made: remove secret_next_file when 'portico doctor' says so, or add --back to return to the former key")

const (
	awaitNodes = time.Minute
	askNodes   = time.Second
)

// ChangeKey makes the second master key the current one, on all nodes, and seals
// again what the former one has sealed, while nodes serve. It continues a change
// that was interrupted, and does nothing after one that is complete. It returns to
// the former key only with back.
func (a *App) ChangeKey(ctx context.Context, back bool, tell func(string)) (r KeyChange, err error) {
	former, err := a.switchKey(ctx, back, tell)
	if err != nil {
		return r, err
	}
	r.Current, r.Former = a.key.ID(), former.ID
	tell("waiting until every node seals with the new key")
	if err := a.await(ctx, "does not use the new key yet: see its log", func(k cluster.Keys) bool { return k.Seals(r.Current) }); err != nil {
		return r, err
	}
	for {
		found, err := masterkey.Rewrite(ctx, a.sealed(), a.key)
		if err != nil {
			return r, err
		}
		n := masterkey.Left(found)
		r.Rewritten += n
		tell(fmt.Sprintf("rows sealed again: %d", r.Rewritten))
		if n == 0 {
			r.Unopened = unopened(found)
			break
		}
	}
	if former.DoneAt.IsZero() {
		if err := a.finishChange(ctx, former.ID); err != nil {
			return r, err
		}
	}
	needs, err := KeyNeeds(ctx, a.Store, a.key, a.Config, a.clock.Now())
	r.Needs = append([]string{}, needs...)
	return r, err
}

func unopened(found []masterkey.Found) []string {
	all := []string{}
	for _, f := range found {
		if f.Unopened > 0 {
			all = append(all, fmt.Sprintf("%s (%d)", f.Place, f.Unopened))
		}
	}
	return all
}

// switchKey makes the second key the current one, unless it is. It returns the
// key before it.
func (a *App) switchKey(ctx context.Context, back bool, tell func(string)) (masterkey.Former, error) {
	formers, err := a.formers(ctx)
	if err != nil {
		return masterkey.Former{}, err
	}
	ids := a.key.IDs()
	set, err := ReadKeys(a.Config) // in the order of the settings
	switch {
	case err != nil:
		return masterkey.Former{}, err
	case len(ids) == 1, len(set.IDs()) == 1: // one file may have got the key of the other meanwhile
		return masterkey.Former{}, ErrOneKey
	case len(formers) > 0 && formers[0].ID == ids[1] && set.IDs()[1] == ids[0]:
		return formers[0], nil // it is already
	case len(formers) > 0 && formers[0].ID == ids[1] && !back:
		return masterkey.Former{}, ErrFormer
	}
	tell("waiting until every node has the new key")
	if err := a.await(ctx, "has only the former key: name the new one in its secret_next_file, and reload it", func(k cluster.Keys) bool { return k.Has(ids[1]) }); err != nil {
		return masterkey.Former{}, err
	}
	former := masterkey.Former{ID: ids[0], ChangedAt: a.clock.Now()}
	before := KeyCheck(a.key)
	a.keying.Lock()
	defer a.keying.Unlock()
	a.key.Use(ids[1])
	if former.Pepper, _ = a.hashing.Former(former.ID); former.Pepper == nil {
		return former, fmt.Errorf("the key %s is gone", former.ID)
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		changed, err := tx.ChangeKeyCheck(ctx, before, KeyCheck(a.key))
		if err != nil {
			return err
		}
		if !changed {
			return errors.New("another process changes the master key: run this again when it is done")
		}
		if err := errors.Join(tx.DeleteFormerKey(ctx, a.key.ID()), tx.SaveFormerKey(ctx, former)); err != nil {
			return err
		}
		return audit.NewRecord(a.clock).Add(ctx, tx, audit.Fact{Name: audit.KeyChanged, Actor: operator, Detail: a.key.ID()})
	})
	return former, err
}

// finishChange notes that no sealed row of the former key is left. Codes and tokens
// from before may still be valid.
func (a *App) finishChange(ctx context.Context, id string) error {
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		formers, err := tx.FormerKeys(ctx)
		for _, f := range formers {
			if err == nil && f.ID == id && f.DoneAt.IsZero() {
				f.DoneAt = a.clock.Now()
				err = tx.SaveFormerKey(ctx, f)
			}
		}
		return err
	})
}

func (a *App) formers(ctx context.Context) (formers []masterkey.Former, err error) {
	err = a.Store.Read(ctx, func(tx *store.Tx) error {
		formers, err = tx.FormerKeys(ctx)
		return err
	})
	return formers, err
}

func (a *App) sealed() masterkey.Database {
	return unit[masterkey.Store]{a.Store, func(tx *store.Tx) masterkey.Store { return tx }}
}

// await waits until all nodes that are alive have fitting keys. The beat of a node
// that has ended stands still.
func (a *App) await(ctx context.Context, why string, fits func(cluster.Keys) bool) error {
	began, seen := clock.Here(), map[string]beat{}
	var refused error
	for {
		unfit, err := a.unfit(ctx, seen, fits)
		if err != nil {
			return errors.Join(refused, err)
		}
		if len(unfit) == 0 {
			return nil
		}
		refused = fmt.Errorf("the node on %s %s", strings.Join(unfit, ", "), why)
		if began.Age() > awaitNodes {
			return refused
		}
		select {
		case <-time.After(askNodes):
		case <-ctx.Done():
			return errors.Join(refused, ctx.Err())
		}
	}
}

// beat is what was last seen of a node.
type beat struct {
	value int64
	since clock.Mark
}

// unfit returns the machines of live nodes whose keys do not fit.
func (a *App) unfit(ctx context.Context, seen map[string]beat, fits func(cluster.Keys) bool) (hosts []string, err error) {
	rows, err := a.nodeRows(ctx)
	for _, r := range rows {
		if last, ok := seen[r.ID]; !ok || last.value != r.Beat {
			seen[r.ID] = beat{r.Beat, clock.Here()}
		}
		if fits(r.Keys) || a.Store.Shared() && seen[r.ID].since.Age() > cluster.NodeGone {
			continue
		}
		hosts = append(hosts, r.Keys.Host)
	}
	if len(hosts) > 0 && !a.Store.Shared() && a.unserved() {
		return nil, err // the row of a process that was killed
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), err
}

// unserved reports whether no process serves the SQLite database.
func (a *App) unserved() bool {
	claim, err := a.Store.Claim()
	if err != nil {
		return false
	}
	return claim.Close() == nil
}

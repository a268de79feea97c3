package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"portico/internal/app"
	"portico/internal/clock"
	"portico/internal/flow"
	"portico/internal/people"
)

// importRun is one pass over a file.
type importRun struct {
	*session
	app     *app.App
	how     flow.Import
	sum     *flow.ImportSum
	meter   *meter
	rejects *rejects
}

// entry is a person, or why there is none.
type importEntry struct {
	person people.Person
	at     people.Place
	err    *people.Problem
}

// all takes everybody. One goroutine reads while the other one writes.
func (r *importRun) all(from people.Reader) error {
	batches, failed := make(chan []importEntry, 2), make(chan error, 1)
	stop := make(chan struct{})
	go func() {
		defer close(batches)
		failed <- r.read(from, batches, stop)
	}()
	err := error(nil)
	for batch := range batches {
		if err == nil {
			if err = r.take(batch); err != nil {
				close(stop)
			}
		}
	}
	return errors.Join(err, <-failed)
}

func (r *importRun) read(from people.Reader, batches chan<- []importEntry, stop <-chan struct{}) error {
	var batch []importEntry
	for {
		p, at, err := from.Next()
		e := importEntry{person: p, at: at}
		e.at.Raw = bytes.Clone(at.Raw) // the reader uses it again
		ended := err != nil && !errors.As(err, &e.err)
		if !ended {
			batch = append(batch, e)
		}
		if ended || len(batch) == r.app.Operator.MostImported(r.how) {
			select {
			case batches <- batch:
			case <-stop:
				return nil
			case <-r.Done():
				return r.Err()
			}
			batch = nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case ended: // what was read before is taken
			return fmt.Errorf("%v: %w", at, err)
		}
	}
}

// take imports a batch, and names its bad lines in their order.
func (r *importRun) take(batch []importEntry) error {
	var all []people.Person
	var good []int
	for i := range batch {
		e := &batch[i]
		r.sum.Ignore(e.at.Ignored)
		if e.err == nil {
			e.err = r.how.Seen.Problem(e.person)
		}
		if e.err == nil {
			all, good = append(all, e.person), append(good, i)
		}
	}
	began := clock.Here()
	done, err := r.app.Operator.Import(r, flow.ByOperator, all, r.how)
	if err != nil {
		return err
	}
	took := began.Age()
	for i, d := range done {
		r.sum.Add(d)
		batch[good[i]].err = d.Problem
	}
	for _, e := range batch {
		if e.err != nil {
			r.refuse(e)
		}
	}
	r.meter.show(r.sum.Total())
	r.yield(took)
	return nil
}

// refuse names a bad line.
func (r *importRun) refuse(e importEntry) {
	r.sum.Refused++
	r.meter.clear()
	complain(r.Stderr, fmt.Sprintf("%v: %v", e.at, e.err))
	r.rejects.add(e.person, e.at)
}

// yield leaves a SQLite file to the server for a while: its writes look for their turn in steps, and
// would rarely find one between two batches.
func (r *importRun) yield(took time.Duration) {
	if !r.how.DryRun && !r.app.Store.Shared() {
		select {
		case <-time.After(min(took/4, 20*time.Millisecond)):
		case <-r.Done():
		}
	}
}

// importDone is what an import prints.
type importDone struct {
	*flow.ImportSum
	Rejected   int64  `json:"rejected"` // lines in the file RejectedTo
	RejectedTo string `json:"rejected_to,omitempty"`
}

// onlyChecked returns what a check has found that stands for itself: the lines that are bad. The rest tells what would be imported.
func (m *importDone) onlyChecked() *importDone {
	if m == nil {
		return nil
	}
	sum := flow.NewImportSum()
	sum.Refused = m.Refused
	return &importDone{ImportSum: sum}
}

func (m *importDone) lines(dry bool) []string {
	created, changed := "created", "changed"
	if dry {
		created, changed = "would create", "would change"
	}
	lines := []string{
		fmt.Sprintf("%s\t%d", created, m.Created), fmt.Sprintf("%s\t%d", changed, m.Changed),
		fmt.Sprintf("unchanged\t%d", m.Unchanged), fmt.Sprintf("bad\t%d", m.Refused),
	}
	if m.RejectedTo != "" {
		lines = append(lines, fmt.Sprintf("rejected\t%s\t%d", m.RejectedTo, m.Rejected))
	}
	for _, trait := range flow.Traits() {
		lines = append(lines, fmt.Sprintf("with\t%s\t%d", trait, m.With[trait]))
	}
	for _, field := range slices.Sorted(maps.Keys(m.Missing)) {
		lines = append(lines, fmt.Sprintf("not in the file\t%s\tso nobody brings %s", field, m.Missing[field]))
	}
	for _, part := range []struct {
		name   string
		counts map[string]int64
	}{{"changed field", m.Changes}, {"left out", m.LeftOut}, {"not taken", m.Unknown}} {
		for _, name := range slices.Sorted(maps.Keys(part.counts)) {
			lines = append(lines, fmt.Sprintf("%s\t%s\t%d", part.name, name, part.counts[name]))
		}
	}
	return lines
}

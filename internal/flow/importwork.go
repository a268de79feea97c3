package flow

import (
	"context"
	"slices"

	"portico/internal/job"
)

// partsAtOnce bounds what WorkJobs does of one import, so that others have their turn.
const partsAtOnce = 10

// workImport imports some parts of a file.
func (f *Operator) workImport(ctx context.Context, j job.Job) error {
	place, o, err := importInput(j)
	if err != nil {
		return err
	}
	for range partsAtOnce {
		var stored job.Part
		var ok bool
		err := f.store.Read(ctx, func(tx Tx) (err error) {
			stored, ok, err = tx.NextPart(ctx, j.ID, place.Part, false)
			return err
		})
		if err != nil {
			return err
		}
		if !ok {
			to := j.Progress
			to.State, to.EndedAt = job.Done, f.clock.Now()
			return f.passes(ctx, j, to)
		}
		if j.Progress, place, err = f.takePart(ctx, j, o, place, stored); err != nil {
			return f.halts(ctx, j, err)
		}
		j.Step++
	}
	return nil
}

// takePart imports the next people of a part: with webhooks, those of now, not all at once. It leaves those who were refused.
func (f *Operator) takePart(ctx context.Context, j job.Job, o ImportOrder, place importPlace, stored job.Part) (job.Progress, importPlace, error) {
	p, err := f.opened(stored)
	if err != nil {
		return j.Progress, place, err
	}
	s, how := &step{j, j.Progress}, f.importing(o)
	end := min(place.Kept+f.MostImported(how), len(p.Entries))
	next := part{Entries: p.Entries[place.Kept:end]}
	all, at := next.candidates()
	var now importPlace
	_, err = f.bring(ctx, byJob(s), all, how, func(tx Tx, done []Imported) error {
		now = importPlace{Part: stored.ID, Read: true, Plan: place.Plan, Did: place.Did.clone()}
		next.settled(now.Did, done, at)
		left := part{p.Head, slices.Concat(p.Entries[:place.Kept], next.refused())}
		if end < len(p.Entries) {
			now.Part, now.Kept = place.Part, len(left.Entries)
			left.Entries = append(left.Entries, p.Entries[end:]...)
		}
		s.to.Done, s.to.Skips, s.to.Place = j.Done+int64(len(next.Entries)), now.Did.Refused, now.String()
		if len(left.Entries) == 0 {
			return tx.DeletePart(ctx, stored.ID)
		}
		sealed, err := f.sealed(stored.ID, j.ID, left)
		if err != nil {
			return err
		}
		return tx.UpdatePart(ctx, sealed)
	})
	if err != nil {
		return j.Progress, place, err
	}
	return s.to, now, nil
}

// refused returns the entries of a part that have a problem.
func (p part) refused() (all []fileEntry) {
	for _, e := range p.Entries {
		if e.Problem != nil {
			all = append(all, e)
		}
	}
	return all
}

package doctor

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"portico/internal/mailer"
	"portico/internal/outbox"
	"portico/internal/store"
)

const (
	// mailWaits is the age of the oldest waiting email that causes a warning. It
	// must match the alert PorticoMailStuck.
	mailWaits = 5 * time.Minute

	// deferredFor is how long a receiving server may refuse an email for now before
	// that causes a warning. Greylisting takes less.
	deferredFor = time.Hour

	// overdue is how late an attempt may be while a server sends. It is longer than
	// the pauses of outbox.Runner and than the lease of a claim.
	overdue = time.Minute

	// someMails is how many waiting emails are judged, the first due first.
	someMails = 1000
)

func (d *doctor) outbox(ctx context.Context, r *report) {
	db, ok := d.usable(r)
	if !ok {
		return
	}
	if db.facts.Schema < db.facts.Newest {
		r.add(Skipped, "the database has an older schema", "")
		return
	}
	var counts outbox.Counts
	var waiting []outbox.Record
	err := db.store.Read(ctx, func(tx *store.Tx) (err error) {
		if counts, err = tx.CountMessages(ctx); err == nil {
			waiting, err = tx.WaitingMessages(ctx, someMails, outbox.Emails...)
		}
		return err
	})
	if err != nil {
		r.add(Failed, words(err), "")
		return
	}
	mails := counts.Of(outbox.Emails...)
	mails.Dead = counts.Of().Dead // the list has all
	d.waiting(r, mails, waiting)
	if mails.Dead > 0 {
		r.add(Warning, counted(mails.Dead, outbox.MostCounted)+" could not be delivered",
			"'portico mail list' has the reasons, 'portico mail retry' tries again, and 'portico mail drop' deletes them")
	}
}

// counted says a number that was counted up to a limit.
func counted(n, most int) string {
	if n < most {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("at least %d", most)
}

// waiting judges the emails that wait: whether a node sends them, and why the tried ones
// are still here.
func (d *doctor) waiting(r *report, counts outbox.Count, waiting []outbox.Record) {
	now := d.clock.Now()
	found, age := counted(counts.Waiting, outbox.MostCounted)+" waiting", time.Duration(0)
	if counts.Waiting > 0 {
		age = max(0, now.Sub(counts.Oldest)).Round(time.Second)
		found += ", the oldest for " + age.String()
	}
	if age <= mailWaits || len(waiting) == 0 {
		if counts.Dead == 0 {
			r.add(OK, found, "")
		}
		return
	}
	if late := now.Sub(waiting[0].DueAt); late > overdue {
		r.add(Warning, fmt.Sprintf("%s, and one is overdue since %s", found, waiting[0].DueAt.UTC().Format(time.RFC3339)),
			"'portico serve' sends emails: check that it is running, and see the mail check")
		return
	}
	told := telling(waiting, now)
	if told.Reason == "" {
		r.add(Warning, found, "see the log of 'portico serve', and the mail check")
		return
	}
	failure := mailer.Told(told.Reason)
	found += fmt.Sprintf("; the last attempt failed, because %s; the next is at %s", because(failure.Words(), told.Reason), told.DueAt.UTC().Format(time.RFC3339))
	if failure.Deferred() && age <= deferredFor {
		r.add(OK, found, "")
		return
	}
	do := failure.Advice()
	if do == "" {
		do = "remove the reason"
	}
	r.add(Warning, found, do+"; 'portico mail flush' then tries all now")
}

// telling returns the late email with the most useful reason: one that its receiving server
// has not deferred, else the oldest.
func telling(waiting []outbox.Record, now time.Time) outbox.Record {
	var oldest outbox.Record
	for _, m := range waiting {
		if m.Reason == "" || now.Sub(m.CreatedAt) <= mailWaits {
			continue
		}
		if !mailer.Told(m.Reason).Deferred() {
			return m
		}
		if oldest.ID == "" || m.CreatedAt.Before(oldest.CreatedAt) {
			oldest = m
		}
	}
	return oldest
}

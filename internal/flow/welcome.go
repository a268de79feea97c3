package flow

import (
	"context"
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/outbox"
	"portico/internal/throttle"
)

// Welcome is how far the email is that invites an imported person without a password to choose one.
type Welcome struct {
	QueuedAt time.Time     // since when it waits for its turn; zero if it does not
	Pace     time.Duration // from this email to the next one
	MailedAt time.Time
}

// Why a newcomer gets no email.
const (
	WelcomeQueued   = "waiting"   // for the email already
	WelcomeMailed   = "emailed"   // before
	WelcomeClosed   = "closed"    // the account is
	WelcomeUnproven = "unproven"  // nobody has proven the address
	WelcomeOtherWay = "other way" // the person has a passkey or a provider
	WelcomeRefused  = "refused"   // the last email to the mailbox could not be delivered
)

// WelcomeReasons returns all of them.
func WelcomeReasons() []string {
	return []string{WelcomeQueued, WelcomeMailed, WelcomeClosed, WelcomeUnproven, WelcomeOtherWay, WelcomeRefused}
}

// Welcoming is the order to email people a link to choose a password.
type Welcoming struct {
	Query    account.Query
	Pace     time.Duration // between two emails, from now on
	Unproven bool          // also those whose address nobody has proven
	DryRun   bool
}

// Welcomed counts the newcomers that an order has found: by "" those who get an email, and by the reason those who do not.
type Welcomed map[string]int

// Welcome queues the email for each imported person of the query who has no password and has never signed in. The
// background work sends one after the other. Nobody gets two, so an order that was stopped is simply given again. Who
// waits already gets the new pace.
//
// Faults: as People.
func (f *Operator) Welcome(ctx context.Context, w Welcoming) (Welcomed, error) {
	found := Welcomed{}
	for q := w.Query; ; {
		page, err := f.People(ctx, q)
		if err != nil {
			return found, err
		}
		for part := range slices.Chunk(page.People, linesAtOnce) {
			counts, err := f.welcomeSome(ctx, w, part)
			if err != nil {
				return found, err
			}
			for why, n := range counts {
				found[why] += n
			}
		}
		if q.After = page.Next; q.After == "" {
			return found, nil
		}
	}
}

// welcomeSome is Welcome for some people, in one transaction.
func (f *Operator) welcomeSome(ctx context.Context, w Welcoming, people []account.Person) (counts Welcomed, err error) {
	next := Welcome{QueuedAt: f.clock.Now(), Pace: w.Pace}
	run := func(tx Tx) error {
		counts = Welcomed{}
		for _, p := range people {
			if !untouched(p.Account) {
				continue // most people, whose rows need no lock
			}
			a, has, newcomer, err := f.asArrived(ctx, tx, p.ID)
			if err != nil {
				return err
			}
			if !newcomer {
				continue
			}
			why, err := f.unwelcome(ctx, tx, a.Account, has, w.Unproven)
			if err != nil {
				return err
			}
			counts[why]++
			switch {
			case w.DryRun || why != "" && why != WelcomeQueued:
				continue
			case why == WelcomeQueued:
				has.Pace = next.Pace
			default:
				has = next
			}
			if err := tx.UpdateWelcome(ctx, p.ID, has); err != nil {
				return err
			}
		}
		return nil
	}
	do := f.store.Write
	if w.DryRun {
		do = f.store.Read
	}
	err = do(ctx, run)
	return counts, err
}

// unwelcome returns why a newcomer gets no email now, or "".
func (f *Operator) unwelcome(ctx context.Context, tx Tx, a account.Account, w Welcome, unproven bool) (string, error) {
	switch {
	case !w.MailedAt.IsZero():
		return WelcomeMailed, nil
	case !a.Open(f.clock.Now()):
		return WelcomeClosed, nil
	case !w.QueuedAt.IsZero():
		return WelcomeQueued, nil
	}
	if bare, err := tx.IsUnproven(ctx, a.ID); err != nil || bare && !unproven {
		return WelcomeUnproven, err
	}
	linked, err := f.workingIdentities(ctx, tx, a.ID)
	if err != nil || len(linked) > 0 {
		return WelcomeOtherWay, err
	}
	keys, err := tx.PasskeysOf(ctx, a.ID)
	if err != nil || slices.ContainsFunc(keys, f.passkeyWorks) {
		return WelcomeOtherWay, err
	}
	outcomes, err := tx.OutcomesOf(ctx, f.mailboxes.Sum(a.Address.Key), 1)
	if err != nil || len(outcomes) > 0 && outcomes[0].State == outbox.GivenUp {
		return WelcomeRefused, err
	}
	return "", nil
}

// stopAtOnce bounds one transaction of StopWelcomes, whose people each take a part of one statement.
const stopAtOnce = 1000

// StopWelcomes takes back all emails of Welcome that wait, and returns how many did.
func (f *Operator) StopWelcomes(ctx context.Context) (n int64, err error) {
	for {
		var some int64
		err := f.store.Write(ctx, func(tx Tx) (err error) {
			some, err = tx.StopWelcomes(ctx, stopAtOnce)
			return err
		})
		if err != nil || some == 0 {
			return n, err
		}
		n += some
	}
}

// turn is the limit that keeps the pace of emails. Background work looks for the next one every second, so a
// pace below ten seconds has several at once.
func (w Welcome) turn() throttle.Attempt {
	pace := max(w.Pace, time.Millisecond)
	count := max(1, int(10*time.Second/pace))
	return throttle.Attempt{Limit: throttle.Limit{Name: "welcome", Count: count, Window: time.Duration(count) * pace}}
}

// WelcomeDue reports whether the turn of an email has come.
func (f *Operator) WelcomeDue(ctx context.Context) (due bool, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		id, ok, err := tx.NextWelcome(ctx)
		if err != nil || !ok {
			return err
		}
		w, _, err := tx.WelcomeOf(ctx, id)
		if err != nil {
			return err
		}
		wait, err := f.limiter.Wait(ctx, tx, w.turn())
		due = wait == 0
		return err
	})
	return due, err
}

// WelcomeNext writes the next email, if its turn has come. Whoever has signed in, got a password or was closed in the
// meantime gets none. It reports whether there may be more.
func (f *Operator) WelcomeNext(ctx context.Context, tx Tx) (more bool, err error) {
	id, ok, err := tx.NextWelcome(ctx)
	if err != nil || !ok {
		return false, err
	}
	a, w, newcomer, err := f.asArrived(ctx, tx, id)
	if err != nil {
		return false, err
	}
	next := Welcome{MailedAt: w.MailedAt}
	waits := newcomer && !w.QueuedAt.IsZero()
	if waits {
		why, err := f.unwelcome(ctx, tx, a.Account, next, true)
		if err != nil {
			return false, err
		}
		waits = why == ""
	}
	if waits {
		d, err := f.limiter.Take(ctx, tx, w.turn())
		if err != nil || !d.Allowed {
			return false, err
		}
		if _, err := f.handLink(ctx, tx, ByOperator, a, mailWelcome); err != nil {
			return false, err
		}
		next.MailedAt = f.clock.Now()
	}
	return true, tx.UpdateWelcome(ctx, id, next)
}

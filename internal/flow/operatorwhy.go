package flow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/outbox"
	"portico/internal/useragent"
)

// Moment is one line of a Story.
type Moment struct {
	At     time.Time
	Kind   string // account, address, email, event, provider, session or limit
	What   string // a stable word of the code
	Detail string // may contain text from outside
}

// Story is what is known about an address, for its operator.
type Story struct {
	Address  string
	Account  *account.Account // nil without an account
	Timeline []Moment         // the oldest first; limits at the time when they lift
}

// storyLength bounds the emails and the audit records of a Story.
const storyLength = 500

// Why returns the story of an address, with or without an account. It counts
// nothing and changes nothing.
//
// Faults: the field email.
func (f *Operator) Why(ctx context.Context, email string) (Story, error) {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return Story{}, fault.InvalidFields(*bad)
	}
	var s Story
	err := f.store.Read(ctx, func(tx Tx) error {
		to, err := f.addressed(ctx, tx, address.Key)
		if err != nil {
			return err
		}
		known := to.owner
		s = Story{Address: address.Mail, Account: known}
		if known != nil {
			s.Address = to.at.Mail
		}
		parts := []func(context.Context, Tx, string, *account.Account) ([]Moment, error){f.emailed, f.limited}
		if known != nil {
			parts = append(parts, f.happened, f.heldBeside, f.linkedTo, f.signedInto)
		}
		for _, part := range parts {
			moments, err := part(ctx, tx, address.Key, known)
			if err != nil {
				return err
			}
			s.Timeline = append(s.Timeline, moments...)
		}
		return nil
	})
	slices.SortStableFunc(s.Timeline, func(a, b Moment) int { return a.At.Compare(b.At) })
	return s, err
}

// emailed returns the emails to the address, with the answers of the mail server.
func (f *Operator) emailed(ctx context.Context, tx Tx, key string, _ *account.Account) ([]Moment, error) {
	var all []Moment
	outcomes, err := f.outcomesOf(ctx, tx, key)
	for _, o := range outcomes {
		detail, err := became(ctx, tx, o)
		if err != nil {
			return nil, err
		}
		all = append(all, Moment{o.AskedAt, "email", o.Template, detail})
	}
	return all, err
}

// outcomesOf returns what became of the emails to an address.
func (f *Operator) outcomesOf(ctx context.Context, tx Tx, key string) (all []outbox.Outcome, err error) {
	for _, mailbox := range f.mailboxes.Sums(key) {
		outcomes, err := tx.OutcomesOf(ctx, mailbox, storyLength)
		if err != nil {
			return nil, err
		}
		all = append(all, outcomes...)
	}
	return all, nil
}

// became says what became of an email. If it waits, that is its next attempt and what
// the last one said.
func became(ctx context.Context, tx Tx, o outbox.Outcome) (string, error) {
	at := o.At.UTC().Format(time.RFC3339)
	if o.State != outbox.Waiting {
		return strings.TrimSuffix(string(o.State)+" "+at+": "+o.Answer, ": "), nil
	}
	m, found, err := tx.Message(ctx, o.ID)
	if err != nil || !found {
		return string(o.State), err
	}
	next := "waiting, next attempt at " + m.DueAt.UTC().Format(time.RFC3339)
	if o.Answer == "" {
		return next, nil
	}
	return next + "; " + at + ": " + o.Answer, nil
}

// limited returns the limits that have counted attempts for the address, at the
// time when they lift.
func (f *Operator) limited(ctx context.Context, tx Tx, key string, known *account.Account) ([]Moment, error) {
	limits, err := f.limitsOf(ctx, tx, key, known)
	var all []Moment
	for _, l := range limits {
		m := Moment{l.EndsAt, "limit", l.Name, fmt.Sprintf("%d of %d used; forgotten at this time", l.Used, l.Count)}
		if l.Full {
			m.Detail = fmt.Sprintf("%s until this time; %d of %d used", l.Effect, l.Used, l.Count)
		}
		all = append(all, m)
	}
	return all, err
}

// Standing is a limit that has counted attempts for an address or an account.
type Standing struct {
	Name, Effect string
	Used, Count  int
	Full         bool      // whether it is used up; otherwise it only counts
	Refuses      bool      // whether it is used up and refuses something
	EndsAt       time.Time // when the next attempt passes, or the attempts are forgotten
}

// limitsOf returns the limits that have counted attempts for the address. Counts of a single
// browser or network are not stored by address.
func (f *Operator) limitsOf(ctx context.Context, tx Tx, key string, known *account.Account) ([]Standing, error) {
	attempts := addressAttempts(key)
	if known != nil {
		attempts = append(attempts, accountAttempts(*known)...)
	}
	var all []Standing
	for _, a := range attempts {
		s, ok, err := f.limiter.Stand(ctx, tx, a)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		words, refusing := effect(a.Limit)
		m := Standing{Name: a.Limit.Name, Effect: words, Used: int(s.Used), Count: int(a.Limit.Count), EndsAt: s.Clear}
		if !s.Passes.IsZero() {
			m.Full, m.Refuses, m.EndsAt = true, refusing, s.Passes
		}
		if a.Limit.Name != unknownDay.Name || known == nil { // an account gets each email
			all = append(all, m)
		}
	}
	return all, nil
}

// happened returns the creation of the account and its audit records.
func (f *Operator) happened(ctx context.Context, tx Tx, _ string, known *account.Account) ([]Moment, error) {
	facts, err := tx.FactsOf(ctx, known.ID, "", storyLength)
	if err != nil {
		return nil, err
	}
	unproven, err := tx.IsUnproven(ctx, known.ID)
	if err != nil {
		return nil, err
	}
	all := []Moment{{known.CreatedAt, "account", "created", "now " + string(known.State)}}
	if unproven {
		all = append(all, Moment{known.CreatedAt, "address", "unproven", "the next sign-in asks for a mailed code"})
	}
	if !known.EndsAt.IsZero() {
		all = append(all, Moment{known.EndsAt, "account", "ends", "closed from this time on"})
	}
	names, err := f.namesIn(ctx, tx, facts)
	for _, fact := range facts {
		all = append(all, Moment{fact.At, "event", string(fact.Name), f.aboutFact(fact, names)})
	}
	return all, err
}

func (f *Operator) aboutFact(fact audit.Fact, names Named) string {
	by, detail := names.actorOf(fact), [2]string{"detail ", names.DetailOf(fact)}
	if fact.Name == audit.AlarmRaised || ByAlarm(fact) {
		by = `"This wasn't me" in an email` // its caller need not be signed in
	}
	if proofs := f.ProofsOf(fact); len(proofs) > 0 {
		detail = [2]string{"with ", listed(proofs)}
	}
	return joined([2]string{"by ", by}, detail, [2]string{"from ", fact.Peer}, [2]string{"request ", fact.RequestID}, [2]string{"", useragent.Describe(fact.UserAgent)})
}

// joined returns the parts that have a value, each with its first word.
func joined(parts ...[2]string) string {
	var words []string
	for _, part := range parts {
		if part[1] != "" {
			words = append(words, part[0]+part[1])
		}
	}
	return strings.Join(words, ", ")
}

// linkedTo returns the providers that are connected to the account.
func (f *Operator) linkedTo(ctx context.Context, tx Tx, _ string, known *account.Account) ([]Moment, error) {
	linked, err := tx.IdentitiesOf(ctx, known.ID)
	var all []Moment
	for _, i := range linked {
		all = append(all, Moment{i.CreatedAt, "provider", i.Provider, "connected: subject " + i.Subject})
	}
	return all, err
}

// heldBeside returns the other addresses of the account.
func (f *Operator) heldBeside(ctx context.Context, tx Tx, _ string, known *account.Account) ([]Moment, error) {
	list, err := tx.AddressesOf(ctx, known.ID, f.clock.Now())
	var all []Moment
	for _, o := range list {
		detail := o.Address.Mail
		if !o.Own() {
			detail += ", kept until " + o.Until.UTC().Format(time.RFC3339)
		}
		since := o.AddedAt
		if since.Before(known.CreatedAt) { // as old as the account
			since = known.CreatedAt
		}
		all = append(all, Moment{since, "address", string(o.Use), detail})
	}
	return all, err
}

// signedInto returns the sessions of the account.
func (f *Operator) signedInto(ctx context.Context, tx Tx, _ string, known *account.Account) ([]Moment, error) {
	sessions, err := f.sessions.List(ctx, tx, known.ID)
	var all []Moment
	for _, s := range sessions {
		detail := joined([2]string{"", useragent.Describe(s.UserAgent)}, [2]string{"with ", listed(f.proofs(s.Methods))}, [2]string{"last seen ", s.LastSeenAt.UTC().Format(time.RFC3339)})
		all = append(all, Moment{s.CreatedAt, "session", s.ID, detail})
	}
	return all, err
}

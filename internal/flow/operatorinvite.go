package flow

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/budget"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/invitation"
	"portico/internal/legible"
	"portico/internal/people"
)

// Draft is what invitations have in common.
type Draft struct {
	Roles       []string
	AccountEnds time.Time // zero for never
	Words       string    // in the email

	// For a link for many.
	Uses   int64
	EndsAt time.Time
}

const (
	maxWords = 500 // code points
	mostUses = 10_000

	// linesAtOnce is how many lines of a list, or newcomers, a transaction judges and sends. Each takes many statements, and
	// with a database on another machine those of a whole list would exceed the time of a request.
	linesAtOnce = 25
)

// Verdict is whether a line of a list is invited, and else why not.
type Verdict string

// The verdicts.
const (
	Invites   Verdict = "ok"
	Malformed Verdict = "malformed"
	HasOne    Verdict = "exists"  // an account
	IsInvited Verdict = "invited" // and the invitation is valid
	Twice     Verdict = "twice"   // in the list
	Outside   Verdict = "domain"  // of signup.domains
	Held      Verdict = "held"    // the mailbox has received too many emails of admins and keys
	Unsent    Verdict = "unsent"  // the sending has stopped before
)

// JudgedLine is a line of a list with its verdict.
type JudgedLine struct {
	invitation.Line
	Verdict Verdict
	address account.Address
	expired string // the invitation that the new one replaces
}

// checked returns the draft in its stored form.
//
// Faults: SignUpClosed, the fields roles, account_ends_at and text.
func (f *Operator) checked(d Draft) (Draft, error) {
	now := f.clock.Now()
	d.Words, d.Roles = legible.Clean(d.Words), distinct(d.Roles)
	d.AccountEnds, d.EndsAt = d.AccountEnds.UTC().Truncate(time.Microsecond), d.EndsAt.UTC().Truncate(time.Microsecond)
	switch {
	case !f.registersAny():
		return d, SignUpClosed
	case badRole(d.Roles) != nil:
		return d, fault.InvalidFields(fault.Field{Name: "roles", Code: CodeRoleInvalid})
	case !d.AccountEnds.IsZero() && !now.Before(d.AccountEnds):
		return d, fault.InvalidFields(fault.Field{Name: "account_ends_at", Code: account.CodeEndPast})
	case utf8.RuneCountInString(d.Words) > maxWords:
		return d, fault.InvalidFields(fault.Field{Name: "text", Code: CodeInvitationText})
	}
	return d, nil
}

// TryInvite judges each line of a list as Invite does, and sends nothing.
//
// Faults: as Invite.
func (f *Operator) TryInvite(ctx context.Context, by Actor, list string, d Draft) (judged []JudgedLine, err error) {
	d, err = f.checked(d)
	if err == nil {
		err = by.mayChange(d.Roles)
	}
	if err != nil {
		return nil, err
	}
	if judged, err = f.linesOf(list); err != nil {
		return nil, err
	}
	left := map[string]int{}
	read := func(fn func(tx Tx) error) error { return f.store.Read(ctx, fn) }
	err = inParts(ctx, judged, read, func(tx Tx, l *JudgedLine) error {
		if err := f.judgeLine(ctx, tx, l); err != nil || l.Verdict != Invites {
			return err
		}
		return f.leftOfBox(ctx, tx, by, l.address.Key, left)
	})
	holdFull(judged, left)
	return judged, err
}

// Invite mails an invitation to each address of a list that may have one, and returns the list
// with its verdicts. What stops it after a part of the list, such as the end of the admin's session or a database that is away,
// leaves the other lines Unsent. The same list can then be sent again.
//
// Faults: SignUpClosed, the fields addresses, roles, account_ends_at and text, apikey.OfAdmin, and as acts
// and countActor.
func (f *Operator) Invite(ctx context.Context, by Actor, list string, d Draft) (judged []JudgedLine, err error) {
	if d, err = f.checked(d); err != nil {
		return nil, err
	}
	if err := by.mayChange(d.Roles); err != nil {
		return nil, err
	}
	if judged, err = f.linesOf(list); err != nil {
		return nil, err
	}
	begun := false
	act := func(fn func(tx Tx) error) error {
		err := f.acts(ctx, by, func(tx Tx) error {
			if !begun {
				if err := f.countActor(ctx, tx, by, len(judged)); err != nil {
					return err
				}
			}
			return fn(tx)
		})
		begun = begun || err == nil
		return err
	}
	err = inParts(ctx, judged, act, func(tx Tx, l *JudgedLine) error {
		if err := f.judgeLine(ctx, tx, l); err != nil || l.Verdict != Invites {
			return err
		}
		return f.inviteOne(ctx, tx, by, l, d)
	})
	broken := err != nil && fault.From(err).Kind == fault.Internal && !errors.Is(err, ErrNotAdmin) && ctx.Err() == nil // so the log must have it
	if !begun || broken {
		return nil, err
	}
	return judged, nil
}

// inParts does something with each line, in a transaction for some of them. Each has the time of a request, and the lines
// of one that fails stay as they were.
func inParts(ctx context.Context, lines []JudgedLine, in func(fn func(tx Tx) error) error, do func(tx Tx, l *JudgedLine) error) error {
	for part := range slices.Chunk(lines, linesAtOnce) {
		budget.Of(ctx).Renew()
		var done []JudgedLine
		err := in(func(tx Tx) error {
			done = slices.Clone(part) // the transaction may run again
			for i := range done {
				if err := do(tx, &done[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		copy(part, done)
	}
	return nil
}

func (f *Operator) inviteOne(ctx context.Context, tx Tx, by Actor, l *JudgedLine, d Draft) error {
	if wait, err := f.countBox(ctx, tx, by, l.address.Key); err != nil || wait > 0 {
		l.Verdict = Held
		return err
	}
	if l.expired != "" {
		if _, err := tx.EndInvitation(ctx, l.expired, invitation.Replaced, f.clock.Now()); err != nil {
			return err
		}
	}
	i := invitation.Invitation{Mail: l.address.Mail, Key: l.address.Key, Roles: d.Roles, AccountEnds: d.AccountEnds, Words: d.Words, By: by.name, Most: 1}
	if _, ok, err := f.invite(ctx, tx, Caller{}, i); err != nil || !ok {
		l.Verdict = IsInvited // at this moment, by another admin
		return err
	}
	return f.record.Add(ctx, tx, by.fact(audit.InvitationSent, "", strings.Join(d.Roles, ",")))
}

// linesOf reads a list. The lines that the database has to judge are Unsent.
//
// Faults: the field addresses.
func (f *Operator) linesOf(list string) (all []JudgedLine, err error) {
	lines := invitation.Lines(list)
	if len(lines) == 0 || len(lines) > invitation.MostLines {
		return nil, fault.InvalidFields(fault.Field{Name: "addresses", Code: CodeInvitationList})
	}
	seen := map[string]bool{}
	for _, line := range lines {
		l := JudgedLine{Line: line, Verdict: Unsent}
		address, bad := account.ParseAddress(l.Address, "addresses")
		switch {
		case bad != nil:
			l.Address, l.Verdict = people.Short(l.Address), Malformed
		case seen[address.Key]:
			l.Verdict = Twice
		case !f.admitsDomain(address.Key):
			l.Verdict = Outside
		default:
			seen[address.Key], l.address, l.Address = true, address, address.Mail
		}
		all = append(all, l)
	}
	return all, nil
}

func (f *Operator) judgeLine(ctx context.Context, tx Tx, l *JudgedLine) error {
	if l.Verdict != Unsent {
		return nil
	}
	l.Verdict = Invites
	to, err := f.addressed(ctx, tx, l.address.Key)
	if err != nil || to.owner != nil {
		l.Verdict = HasOne
		return err
	}
	i, ok, err := tx.InvitationOf(ctx, l.address.Key)
	if err != nil || !ok {
		return err
	}
	valid, err := f.stillCounts(ctx, tx, i)
	if l.expired = i.ID; valid {
		l.Verdict = IsInvited
	}
	return err
}

// InviteMany makes a link by which several people sign up, and returns it once.
//
// Faults: as Invite, and the fields uses and ends_at.
func (f *Operator) InviteMany(ctx context.Context, by Actor, d Draft) (link string, err error) {
	if d, err = f.checked(d); err != nil {
		return "", err
	}
	if err := by.mayChange(d.Roles); err != nil {
		return "", err
	}
	now := f.clock.Now()
	if d.Uses < 1 || d.Uses > mostUses {
		return "", fault.InvalidFields(fault.Field{Name: "uses", Code: CodeInvitationUses})
	}
	if !now.Before(d.EndsAt) || d.EndsAt.Sub(now) > invitation.MostLife {
		return "", fault.InvalidFields(fault.Field{Name: "ends_at", Code: CodeInvitationEnd})
	}
	err = f.acts(ctx, by, func(tx Tx) error {
		if err := f.countActor(ctx, tx, by, 1); err != nil {
			return err
		}
		i := invitation.Invitation{Roles: d.Roles, AccountEnds: d.AccountEnds, By: by.name, Most: d.Uses, EndsAt: d.EndsAt}
		if link, _, err = f.invite(ctx, tx, Caller{}, i); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.InvitationSent, "", strings.Join(append([]string{"many"}, d.Roles...), ",")))
	})
	return link, err
}

// InviteAgain mails an invitation again, which ends its former link. From then on it is an
// invitation of the Actor.
//
// Faults: NoInvitation, SignUpClosed, apikey.OfAdmin, and as acts and countSent.
func (f *Operator) InviteAgain(ctx context.Context, by Actor, id string) error {
	if !f.registersAny() {
		return SignUpClosed
	}
	return f.onInvitation(ctx, by, id, func(tx Tx, i invitation.Invitation) error {
		if i.Mail == "" || !i.AccountEnds.IsZero() && !f.clock.Now().Before(i.AccountEnds) {
			return NoInvitation
		}
		if err := f.countSent(ctx, tx, by, i.Key); err != nil {
			return err
		}
		i.By = by.name
		if err := f.replaceInvitation(ctx, tx, Caller{}, i); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.InvitationSent, "", strings.Join(i.Roles, ",")))
	})
}

// EndInvitation ends an invitation: its link makes no account anymore.
//
// Faults: NoInvitation, apikey.OfAdmin, and as acts.
func (f *Operator) EndInvitation(ctx context.Context, by Actor, id string) error {
	return f.onInvitation(ctx, by, id, func(tx Tx, i invitation.Invitation) error {
		if ok, err := tx.EndInvitation(ctx, id, invitation.Ended, f.clock.Now()); err != nil || !ok {
			return err
		}
		if err := f.dropInvitation(ctx, tx, i); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.InvitationEnded, "", strings.Join(i.Roles, ",")))
	})
}

// onInvitation runs a change of an open invitation.
func (f *Operator) onInvitation(ctx context.Context, by Actor, id string, fn func(tx Tx, i invitation.Invitation) error) error {
	if !ids.Valid(id) {
		return NoInvitation
	}
	return f.acts(ctx, by, func(tx Tx) error {
		i, ok, err := tx.InvitationByID(ctx, id)
		if err == nil && (!ok || i.State != invitation.Open) {
			err = NoInvitation
		}
		if err == nil {
			err = by.mayChange(i.Roles)
		}
		if err != nil {
			return err
		}
		return fn(tx, i)
	})
}

// Invited is an invitation in a list.
type Invited struct {
	invitation.Listed
	Stage invitation.Stage
	By    string // who invites, in words
}

// Invitations returns a page of the invitations at a stage, or of all for "", after the one with an id.
func (f *Operator) Invitations(ctx context.Context, stage invitation.Stage, after string, limit int) (page Page[Invited], err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		var fits func(Invited) bool
		if stage != "" {
			fits = func(i Invited) bool { return i.Stage == stage }
		}
		page, err = paged(limit, func(i Invited) string { return i.ID }, fits, func(most int) ([]Invited, error) {
			return f.invited(ctx, tx, after, most)
		})
		if err != nil {
			return err
		}
		var made []audit.Fact
		for _, i := range page.Items {
			made = append(made, audit.Fact{Actor: i.Invitation.By})
		}
		known, err := f.namesIn(ctx, tx, made)
		for n, fact := range made {
			page.Items[n].By = known.actorOf(fact)
		}
		return err
	})
	return page, err
}

// invited returns up to limit invitations with their stages. Each sender is judged once.
func (f *Operator) invited(ctx context.Context, tx Tx, after string, limit int) (all []Invited, err error) {
	list, err := tx.Invitations(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	senders := map[string]bool{}
	for _, l := range list {
		valid := !l.Over(f.clock.Now())
		if valid {
			name := l.By
			if l.First() {
				name = l.Key
			}
			stands, judged := senders[name]
			if !judged {
				if stands, err = f.senderStands(ctx, tx, l.Invitation); err != nil {
					return nil, err
				}
				senders[name] = stands
			}
			valid = stands
		}
		all = append(all, Invited{Listed: l, Stage: l.Stage(valid)})
	}
	return all, nil
}

// wordsOf returns the detail of the record of a used invitation.
func wordsOf(i invitation.Invitation) string {
	return strings.Join(slices.Concat([]string{i.ID}, i.Roles), ",")
}

// Package invitation owns the rows of invitations to make an account, and reads lists of
// addresses.
//
// It does not decide who may invite or what an account gets. Package flow judges an
// invitation where it is used, in the transaction that makes the account.
//
// Invariants:
//   - The token of a link is a secret. The database has its hash.
//   - An address has one open invitation at most. The database has an index for it.
//   - A row never gets another link: sending again replaces the row.
package invitation

import (
	"context"
	"time"
)

// Life is how long an invitation of one address is valid.
const Life = 7 * 24 * time.Hour

// MostLife is how long a link for many is valid at most.
const MostLife = 366 * 24 * time.Hour

// Keep is how long a row stays after its end.
const Keep = 30 * 24 * time.Hour

// State is what became of an invitation. An open one may have expired.
type State string

// The states.
const (
	Open     State = "open"
	Used     State = "used"     // it has made as many accounts as it may
	Ended    State = "ended"    // by an operator or an admin, or with the role of its sender
	Replaced State = "replaced" // by a newer one to the same address
)

// FirstAdmin is the Key of the link for the first admin. It is no address, and one row can have it.
const FirstAdmin = "first-admin"

// Invitation is a row.
type Invitation struct {
	ID          string
	Link        []byte // SHA-256 of the token
	Mail, Key   string // the address and its canonical form; "" for a link for many, or FirstAdmin as Key
	Roles       []string
	AccountEnds time.Time // zero for never
	Words       string    // of the admin, in the email
	By          string    // the actor who invites
	Most, Used  int64     // accounts that it may make, and has made
	State       State
	CreatedAt   time.Time
	EndsAt      time.Time
	OpenedAt    time.Time // first; zero for never
	UsedAt      time.Time // last
	AccountID   string    // made by an invitation of one address
	MessageID   string    // its email
}

// First reports whether it is the link for the first admin.
func (i Invitation) First() bool { return i.Key == FirstAdmin }

// Over reports whether an invitation is not valid at a time.
func (i Invitation) Over(now time.Time) bool {
	return i.State != Open || !now.Before(i.EndsAt) || !i.AccountEnds.IsZero() && !now.Before(i.AccountEnds)
}

// Listed is an invitation with what became of its email.
type Listed struct {
	Invitation
	Mailed string // the state of the email; "" if it is not known
	Answer string // of the mail server
}

// Stage is how far an invitation is, for people.
type Stage string

// Stages returns all stages. Only a link without an address is open, and the email of an invitation
// that is refused was given up: the mail server did not take it, or could not be reached for hours.
func Stages() []Stage {
	return []Stage{"open", "sent", "delivered", "refused", "opened", "used", "ended"}
}

// Stage returns how far an invitation is. valid is whether it may still be used.
func (l Listed) Stage(valid bool) Stage {
	switch {
	case l.State == Used:
		return "used"
	case !valid:
		return "ended"
	case l.Mail == "":
		return "open"
	case !l.OpenedAt.IsZero():
		return "opened"
	case l.Mailed == "accepted":
		return "delivered"
	case l.Mailed == "given up":
		return "refused"
	}
	return "sent"
}

// Store is what invitations need of the database.
type Store interface {
	// InsertInvitation reports false if the address has an open one.
	InsertInvitation(ctx context.Context, i Invitation) (bool, error)
	InvitationByID(ctx context.Context, id string) (Invitation, bool, error)
	InvitationByLink(ctx context.Context, link []byte) (Invitation, bool, error)
	// InvitationOf returns the open invitation of an address, or the one that EndInvitationsBy has ended: a new one replaces it.
	InvitationOf(ctx context.Context, key string) (Invitation, bool, error)
	// OpenInvitation stores when an invitation was first opened.
	OpenInvitation(ctx context.Context, id string, now time.Time) error
	// UseInvitation counts an account that an invitation makes, if it is open and has not expired
	// at now. It reports whether it did.
	UseInvitation(ctx context.Context, id, accountID string, now time.Time) (bool, error)
	// EndInvitation gives an open invitation its last state, and reports whether it did.
	EndInvitation(ctx context.Context, id string, state State, now time.Time) (bool, error)
	// EndInvitationsBy ends the open invitations that an actor has sent after a time, and reports whether there were any. It
	// takes the same time for all of them as for one.
	EndInvitationsBy(ctx context.Context, by string, since time.Time) (bool, error)
	// Invitations returns up to limit invitations that were not replaced, the newest first,
	// after the one with an id, "" for the first.
	Invitations(ctx context.Context, after string, limit int) ([]Listed, error)
}

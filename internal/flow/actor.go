package flow

import (
	"slices"

	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/session"
)

// Actor is the person or the program that has an Operator make a change. The audit records of the change
// name the Actor.
type Actor struct {
	name   string         // in audit records
	caller Caller         // whom the emails about the change name
	from   Caller         // who sent the request, for the audit records
	admin  *session.Found // of an admin; nil for others
	key    *apikey.Held   // of a program; nil for others
	step   *step          // of a job that the admin or the program has begun, or nil
	once   *turn          // of a request with an Idempotency-Key, or nil
}

// ByOperator is an operator who runs a command.
var ByOperator = Actor{name: actorOperator, caller: Caller{Locale: "en"}}

// ByAdmin is an admin who uses the admin page or its API. Each change judges the session
// and its account again (acts). Emails to users do not name the browser of the admin.
func ByAdmin(c Caller, found session.Found) Actor {
	name := audit.ByAdmin(found.User.ID)
	return Actor{name: name, caller: managing(name), from: c, admin: &found}
}

// managing returns whom the emails name about a change by an admin or a key.
func managing(name string) Caller { return Caller{Locale: ByOperator.caller.Locale, manages: name} }

// mayChange returns a fault if the Actor is a key and the account is an admin's, or would be.
//
// Faults: apikey.OfAdmin.
func (a Actor) mayChange(roles []string) error {
	if a.key != nil && slices.Contains(roles, RoleAdmin) {
		return apikey.OfAdmin
	}
	return nil
}

// The names of actors in audit records. audit.ByAdmin and audit.ByKey make the others.
const (
	actorSelf     = audit.Self
	actorOperator = "operator"
	actorStranger = audit.Stranger // who had a wrong password or a used token
)

func (a Actor) fact(name audit.Name, accountID, detail string) audit.Fact {
	record := fact(a.from, name, accountID, detail)
	record.Actor = a.name
	return record
}

// Uses reports whether the Actor is an admin who uses a session.
func (a Actor) Uses(sessionID string) bool { return a.admin != nil && a.admin.Session.ID == sessionID }

// AccountID returns the id of the admin's account, or of the admin who answers for the key. It is ""
// for the command line.
func (a Actor) AccountID() string {
	switch {
	case a.admin != nil:
		return a.admin.User.ID
	case a.key != nil:
		return a.key.AccountID
	}
	return ""
}

// own reports whether the Actor is an admin who changes their own account.
func (a Actor) own(accountID string) bool {
	return a.admin != nil && a.AccountID() == accountID
}

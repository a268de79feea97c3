package flow

import "portico/internal/audit"

// Actor is the person who has an Operator make a change. The audit records of the change
// name the Actor.
type Actor struct {
	name   string // in audit records
	caller Caller
}

// ByOperator is an operator who runs a command.
var ByOperator = Actor{name: actorOperator, caller: Caller{Locale: "en"}}

// The names of actors in audit records.
const (
	actorSelf     = "self"
	actorOperator = "operator"
	actorStranger = "stranger" // who had a wrong password or a used token
)

func (a Actor) fact(name audit.Name, accountID, detail string) audit.Fact {
	record := fact(a.caller, name, accountID, detail)
	record.Actor = a.name
	return record
}

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

const actorOperator = "operator"

func (a Actor) fact(name audit.Name, accountID string) audit.Fact {
	record := fact(a.caller, name, accountID, "")
	record.Actor = a.name
	return record
}

package engine

// Locks are the SQL texts that keep rows from changing while a transaction runs.
// They are the only difference between the SQL of the two engines.
//
// SQLite needs none, because it has one writer. PostgreSQL runs transactions side
// by side, and another transaction may change a row between a read and a write.
// A step that reads an account or a flow and then acts on what it read therefore
// holds the row until its end.
type Locks struct {
	// Row holds the row against other holders and writers. Other transactions
	// may still insert rows that refer to it. Empty outside a transaction.
	Row string
	// Session does so for a row of account a, then holds the row of session s against
	// its end.
	Session string
	// Grant holds a grant. It is a query of its own, so that the next one reads the session to which
	// another transaction has moved the grant. Empty outside a transaction.
	Grant string
	// Free takes rows that no other transaction holds and skips the others, so
	// that concurrent callers get different rows and none waits.
	Free string
	// Throttle reads the state of a limit and holds its row. The row may be
	// missing: the query then inserts it.
	Throttle string
}

package store

// locks are the clauses that end a query whose rows must not change while its
// transaction runs, and the one query that is another for it: all that differs
// between the SQL of the engines.
//
// SQLite needs none, since it has one writer. Others run transactions side by
// side, and what one has read another may change before it writes. A step that
// looks up an account or a flow and then acts on what it saw (a credential
// version, a step, the time of the last mail) therefore holds the row until its
// end, so that two such steps come one after the other, as they do on SQLite.
type locks struct {
	// row holds the row against other holders and writers, and lets others
	// insert rows that refer to it. Empty outside a transaction.
	row string
	// free takes rows that nobody holds and leaves out the others, so that
	// those who ask at once get different ones and none waits.
	free string
	// throttle reads the state of a limit and holds its row, which need not be
	// there: writing it does that.
	throttle string
}

package faults

import (
	"testing"

	"portico/internal/testform"
)

// broken says what each number of the suite breaks.
func broken() testform.Catalogue {
	return testform.Catalogue{"": {
		"FLT-01": "kill -9 ends the server while it writes under load.",
		"FLT-02": "kill -9 ends the server before or after each SQL statement of a step that works only once.",
		"FLT-03": "kill -9 ends the server between claiming an email, sending it and marking it as sent.",
		"FLT-04": "The power fails while the server writes.",
		"FLT-05": "The database is away, hangs, is slow or fails over, at the start or under load.",
		"FLT-06": "The database locks a table, ends connections, loses the answer of a commit or misses its standby.",
		"FLT-07": "The mail server is down, slow or hostile.",
		"FLT-08": "An external provider or an app is down, slow or sends too much.",
		"FLT-09": "The disk is full, files cannot grow or fsync fails.",
		"FLT-10": "The clock jumps, or the clocks of two nodes differ by five minutes.",
		"FLT-11": "Nodes are upgraded one after the other under load.",
		"FLT-12": "A migration is killed, several processes migrate at once, or versions do not match.",
		"FLT-13": "The data are lost and come back from a backup.",
		"FLT-14": "The signing key is rotated or revoked under load.",
		"FLT-17": "Thousands of connections send slowly or wait.",
		"FLT-18": "A client sends bodies, headers or URLs that are too large.",
		"FLT-19": "Many clients send wrong passwords at once.",
		"FLT-20": "The server is stopped under load, and restarted many times.",
		"FLT-21": "A handler panics, files run out, or a million requests arrive.",
		"FLT-22": "Two processes use one SQLite file, or two nodes on PostgreSQL disagree.",
		"FLT-23": "The database grows to millions of accounts.",
		"FLT-24": "kill -9 ends the server between a change of an account, its event for a webhook and the note of the answer.",
		"FLT-25": "The audit records cannot be written.",

		// Tests without a number
		"Move":               "A move to PostgreSQL runs under load, is killed, or meets an email that is being sent.",
		"RegistrationWrites": "Hundreds of registrations write to SQLite at once.",
		"Reload":             "The settings are reloaded under load, and with mistakes in the file.",
		"Revocation":         "A session is ended on one of several nodes, or while a node cannot reach the database.",
	}}
}

// announce logs what the running test breaks.
func announce(t *testing.T) {
	t.Helper()
	broken().Announce(t)
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	broken().Check(t, ".")
}

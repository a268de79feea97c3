package audit

import (
	"strings"
	"time"

	"portico/internal/fault"
)

// codeQueryInvalid is the code of a field that no list of records can have.
const codeQueryInvalid = "query.invalid"

// MostFacts is the greatest Limit of a Query.
const MostFacts = 500

// Query says which records a page has. Its zero values leave conditions out.
type Query struct {
	AccountID string
	Actor     string
	Peer      string // network
	Names     []Name
	From      time.Time // inclusive
	To        time.Time // exclusive
	After     string    // Page.Next of the page before
	Limit     int
}

// Page is a part of the record, the newest first.
type Page struct {
	Facts []Fact
	Next  string // Query.After of the next page; "" at the end
	// Partial is set if the search has looked at as many records as one page may cost. The
	// page has all matches among them, and the next page looks at older ones.
	Partial bool
}

// Checked returns the fault of a query that cannot be answered, or nil.
func (q Query) Checked() *fault.Field {
	wrong := func(text string) bool { return len(text) > 200 || strings.ContainsRune(text, 0) }
	for _, c := range []struct {
		wrong bool
		name  string
	}{
		{q.Limit < 1 || q.Limit > MostFacts, "limit"}, {len(q.After) > 2048, "after"}, {len(q.Names) > 100, "kind"},
		{wrong(q.AccountID), "person"}, {wrong(q.Actor), "actor"}, {wrong(q.Peer), "network"},
	} {
		if c.wrong {
			return &fault.Field{Name: c.name, Code: codeQueryInvalid}
		}
	}
	return nil
}

package form

import "time"

// Operation describes an operation of the JSON API. If In or Out is nil, there is no such
// body.
type Operation struct {
	Method  string
	Path    string
	Summary string
	Query   []string            // names of the parameters in the query
	Choices map[string][]string // the values of those parameters that take one of a few
	In, Out any
	Access  Access
}

// Access says who may call an operation of the admin API. It is zero for all others.
type Access struct {
	Admin bool
	Scope string // that an API key needs; "" if no key may call it
}

// File is the Out of an operation that answers with a file, and the In of one that takes a file.
type File []byte

// Moment is a time in RFC 3339. It is a string, because encoding/json validates
// the output of time.Time again, which took a quarter of the time of a
// response. A field that can have none is tagged `empty:"true"`.
type Moment string

// MomentOf returns a time for a response, "" for none.
func MomentOf(t time.Time) Moment {
	if t.IsZero() {
		return ""
	}
	return Moment(t.Format(time.RFC3339Nano))
}

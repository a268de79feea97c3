// Package once owns what requests with an Idempotency-Key have done, so that a request that is
// sent again changes nothing twice and gets the first answer.
//
// It does not know what a request does. Package flow marks a row in the transaction of the
// change (MarkOnce), so the row says whether the change is in the database, also after a kill.
package once

import (
	"context"
	"time"

	"portico/internal/clock"
	"portico/internal/fault"
)

const (
	// Keep is how long an answer is kept.
	Keep = 24 * time.Hour
	// Stale is after which time a request that has changed nothing has failed. It is longer than
	// a handler may take.
	Stale = time.Minute
	// Header is the header with the key (draft-ietf-httpapi-idempotency-key-header).
	Header = "Idempotency-Key"
	// MostKey is the greatest length of a key.
	MostKey = 255
	// NotKept is the answer in the row of a request whose answer has a secret.
	NotKept = "null"
)

// Codes of the faults.
const (
	CodeKey     = "idempotency.key"
	CodeOther   = "idempotency.other"
	CodeRunning = "idempotency.running"
	CodeLost    = "idempotency.lost"
)

var (
	// BadKey means that the header has no key of the form that Parse reads.
	BadKey = fault.New(fault.Invalid, CodeKey)

	// Other means that the key belongs to another request.
	Other = fault.New(fault.Invalid, CodeOther)

	// Running means that the first request is still being carried out.
	Running = fault.New(fault.Conflict, CodeRunning).WithRetryAfter(time.Second)

	// Lost means that the request was carried out, and that its answer was not kept.
	Lost = fault.New(fault.Conflict, CodeLost)
)

// Row is what is known of a request.
type Row struct {
	Hash    []byte // of the actor and the key
	Asked   []byte // keyed hash of the method, the path and the body
	Claim   string // of the request that carries it out
	Done    bool   // whether its change is in the database
	Answer  string // JSON, "" until it is known
	BegunAt time.Time
	Expires time.Time
}

// Judge returns whether a request with the row's key may be carried out: there is no row (ok is
// false), or the one that began has failed. Otherwise it returns the answer, or a fault.
func Judge(r Row, ok bool, asked string, now time.Time) (answer string, free bool, err error) {
	switch {
	case !ok || !now.Before(r.Expires):
		return "", true, nil
	case string(r.Asked) != asked:
		return "", false, Other
	case r.Answer == NotKept:
		return "", false, Lost
	case r.Answer != "":
		return r.Answer, false, nil
	case now.Sub(r.BegunAt) < Stale && !clock.Ahead(r.BegunAt, now):
		return "", false, Running
	case r.Done:
		return "", false, Lost
	}
	return "", true, nil
}

// Parse returns the key of a header, a string of a structured field (RFC 9651) or the same text
// without quotation marks.
func Parse(header string) (string, bool) {
	if n := len(header); n >= 2 && header[0] == '"' && header[n-1] == '"' {
		header = header[1 : n-1]
	}
	if header == "" || len(header) > MostKey {
		return "", false
	}
	for i := range len(header) {
		if c := header[i]; c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return "", false
		}
	}
	return header, true
}

// Store is what this package needs of the database.
type Store interface {
	// OnceByHash returns the row of a key and holds it.
	OnceByHash(ctx context.Context, hash []byte) (Row, bool, error)
	// ClaimOnce adds the row, or replaces one that still has the claim of former. It reports whether it did.
	ClaimOnce(ctx context.Context, r Row, former string) (bool, error)
	// MarkOnce says that the change of a claim is in the database, and reports whether the row has the claim.
	MarkOnce(ctx context.Context, hash []byte, claim string) (bool, error)
	// AnswerOnce keeps the answer of a claim whose change is in the database.
	AnswerOnce(ctx context.Context, hash []byte, claim, answer string) error
	// DropOnce deletes the row of a claim, unless its change is in the database.
	DropOnce(ctx context.Context, hash []byte, claim string) error
}

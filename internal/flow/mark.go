package flow

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/federation"
	"portico/internal/pages"
	"portico/internal/secret"
)

// markParam, at the end of the query, holds the mark of an authorization request while the
// browser is on Portico's pages.
const markParam = "&portico_mark="

const (
	// markLife is how long a mark says that its browser was sent to the sign-in page. A pushed
	// request waits as long for its user.
	markLife = time.Hour

	// answerLife is how long a mark says that a session has answered it: the time to read a
	// consent page, or to add a passkey. After it, a request for a new sign-in asks again.
	answerLife = 10 * time.Minute
)

// Mark is what the mark of an authorization request says to the browser that shows it. A mark
// counts for one request in one browser, until a code is given.
type Mark struct {
	// Sent says that the browser was sent to the sign-in page for this request.
	Sent bool
	// Answered says that a proof after that has started the session of the caller.
	Answered bool

	at      time.Time
	session []byte // for Answered
	sum     []byte // spends the mark
}

// ErrMarkSpent says that a code was given for the mark of a request before.
var ErrMarkSpent = errors.New("the mark of the request was used before")

// CutMark returns what the query of an authorization request asks for, without its mark.
func CutMark(query string) string {
	request, _, _ := strings.Cut(query, markParam)
	return request
}

// Sent returns the query of an authorization request with a mark that the browser is sent to the
// sign-in page now. A sign-in that returns to it replaces the mark.
func (f *OpenID) Sent(request, browser string) string {
	return f.withMark(request, browser, make([]byte, markHash))
}

// Marked returns what the mark of a query says to the caller: nothing if it is of another request or
// browser, too old, or spent.
func (f *OpenID) Marked(ctx context.Context, c Caller, query string) (Mark, error) {
	m := f.openMark(c, query)
	if !m.Sent {
		return Mark{}, nil
	}
	m.Answered = secret.Equal(m.session, hashForMark(c.Session)) && f.clock.Now().Sub(m.at) < answerLife
	err := f.store.Read(ctx, func(tx Tx) error {
		spent, err := tx.TicketSpent(ctx, m.sum)
		if spent {
			m = Mark{}
		}
		return err
	})
	return m, err
}

// markAnswered returns the return target of a sign-in that has just started a session. If it is a
// marked authorization request, its mark becomes one that names the session.
func (f *core) markAnswered(c Caller, e entry, to Target, token string) Target {
	path, query, _ := strings.Cut(to.text, "?")
	if path != pages.Authorize {
		return to
	}
	if m := f.openMark(c, query); !m.Sent || !e.provenSince(m.at) {
		return to
	}
	return f.targets.Check(path + "?" + f.withMark(CutMark(query), c.BrowserCookie, hashForMark(token)))
}

// provenSince reports whether the newest proof of a sign-in was given after the browser was sent to
// give it. Portico checks its own proofs only then. A provider may sign a user in without a question,
// by a proof from long before.
func (e entry) provenSince(sent time.Time) bool {
	newest := e.methods[len(e.methods)-1]
	return !strings.HasPrefix(newest, byProvider) || federation.Since(e.at, sent)
}

// spendMark ends a mark, or returns ErrMarkSpent.
func (f *OpenID) spendMark(ctx context.Context, tx Tx, m Mark) error {
	if !m.Sent {
		return nil
	}
	first, err := tx.SpendTicket(ctx, m.sum, m.at.Add(markLife+clock.MaxSkew))
	if err == nil && !first {
		err = ErrMarkSpent
	}
	return err
}

// EndMark ends the mark of a request that its user has refused.
func (f *OpenID) EndMark(ctx context.Context, m Mark) error {
	return ignore(f.store.Write(ctx, func(tx Tx) error { return f.spendMark(ctx, tx, m) }), ErrMarkSpent)
}

// markHash is the length of the hash by which a mark names a session. A mark without a session has
// zeros in its place. All marks then have the same length, and one fits where another did.
const markHash = 16

func hashForMark(token string) []byte { return secret.Hash(token)[:markHash] }

// withMark returns a query with a new mark for a browser.
func (f *core) withMark(request, browser string, session []byte) string {
	data := binary.BigEndian.AppendUint64(nil, uint64(f.clock.Now().UnixMicro()))
	return request + markParam + secret.Encode(f.marks.Seal(append(data, session...), browser+" "+request))
}

// openMark returns the mark of a query if it is of the caller's browser and of this query, and not too old.
func (f *core) openMark(c Caller, query string) Mark {
	request, text, _ := strings.Cut(query, markParam)
	sealed, ok := secret.Decode(text)
	if !ok || !secret.ValidToken(c.BrowserCookie) {
		return Mark{}
	}
	data, err := f.marks.Open(sealed, c.BrowserCookie+" "+request)
	if err != nil || len(data) != 8+markHash {
		return Mark{}
	}
	at, now := time.UnixMicro(int64(binary.BigEndian.Uint64(data))), f.clock.Now()
	return Mark{Sent: now.Sub(at) < markLife && !clock.Ahead(at, now), at: at, session: data[8:], sum: secret.Hash("authorization " + text)}
}

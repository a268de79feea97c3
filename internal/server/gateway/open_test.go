package gateway

import (
	"net/http"
	"testing"
	"time"

	"portico/internal/server/form"
)

// wire counts how often its connection is ended.
type wire struct {
	http.ResponseWriter
	ended int
}

func (w *wire) SetReadDeadline(time.Time) error { w.ended++; return nil }

func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// A connection that already serves another request is not ended.
func TestOpen_EndsOnlyWhatIsOpen(t *testing.T) {
	t.Parallel()
	o, w := newOpen(), &wire{}
	p := &passing{w: w}
	o.add(p)
	o.end(p, closeSignedOut, "")
	if w.ended != 1 {
		t.Errorf("an open request was ended %d times", w.ended)
	}
	o.remove(p)
	o.end(p, closeSignedOut, "")
	if w.ended != 1 {
		t.Error("a request that was over was ended")
	}
	o.draining = true
	o.add(p)
	o.lasts(p, nil)
	if w.ended != 2 {
		t.Error("a stream that begins while Portico stops goes on")
	}
}

// An access token is looked at in its own rounds alone, because a look may read
// the database. Without flows to ask, a look panics.
func TestLook_SparesTokens(t *testing.T) {
	t.Parallel()
	g := &Gateway{open: newOpen(), Config: Config{Actions: &form.Actions{}}}
	g.open.add(&passing{shown: shown{token: "access", resource: "https://tools.test/"}, ruledBy: g})
	for _, tokens := range []bool{false, true} {
		asked := func() (asked bool) {
			defer func() { asked = recover() != nil }()
			g.look(t.Context(), map[string]look{}, tokens)
			return false
		}()
		if asked != tokens {
			t.Errorf("in a round of tokens (%v), the token is looked at: %v", tokens, asked)
		}
	}
}

// Package farewell tells OpenID clients that a session has ended (OpenID Connect
// Back-Channel Logout 1.0).
//
// It does not decide whom to tell: flows do, in the transaction that ends the
// session. The outbox keeps the messages and tries again.
//
// A guest names its address itself. Its messages go only where its documents may be, so that
// it cannot reach what the settings open for other clients. They have a lane of their own,
// so that slow guests delay only guests.
package farewell

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/signingkey"
)

// Config configures a Sender.
type Config struct {
	Client *egress.Client // for clients of the settings
	Guests *egress.Client
	Find   func(ctx context.Context, id string) (openid.Client, bool, error)
	Keys   *signingkey.Keeper
	Clock  clock.Clock
	Issuer string
}

// Sender sends logout tokens. It is safe for concurrent use.
type Sender struct{ Config }

const (
	// Parallel is how many messages are sent at a time to clients of the settings.
	Parallel = 32

	// PerClient is how many of them go to one client. So one that does not answer
	// leaves 24 deliveries to the others.
	PerClient = 8

	// ParallelGuests is Parallel for guests. It is half of the documents that
	// clientdoc loads at a time, so that sign-ins can load theirs.
	ParallelGuests = 8

	// PerGuest is PerClient for guests.
	PerGuest = 2
)

// New returns a Sender.
func New(cfg Config) *Sender { return &Sender{cfg} }

// Close closes idle connections.
func (s *Sender) Close() {
	s.Client.Close()
	s.Guests.Close()
}

// failed is an error of a delivery. A client may get a message again, because it
// has the same id (jti), and signing out twice does no harm.
type failed struct {
	error
	permanent bool
}

func (f failed) Unwrap() error { return f.error }

func (f failed) Permanent() bool { return f.permanent }
func (failed) Uncertain() bool   { return false }

// Send delivers one message of the outbox. The token is signed anew each time, so
// that it is never too old.
func (s *Sender) Send(ctx context.Context, m outbox.Message) error {
	client, known, err := s.Find(ctx, m.To)
	if err != nil {
		return failed{fmt.Errorf("find the client %s: %w", m.To, err), false}
	}
	switch none := !known || client.LogoutURI == ""; {
	case none && m.Template == outbox.GuestLogoutTemplate:
		return nil // it is gone since, or does not want to know
	case none: // another node may have newer settings
		return failed{fmt.Errorf("the settings of this node have no client %s, or no backchannel_logout_uri of it", m.To), false}
	}
	sender := s.Client
	if client.Guest {
		sender = s.Guests
	}
	claims := openid.LogoutToken(s.Issuer, client.ID, m.Data[flow.LogoutUser], m.Data[flow.LogoutSID], m.ID, s.Clock.Now())
	token, _, err := s.Keys.SignBy(client.IDTokenAlg, claims, openid.LogoutType)
	if err != nil {
		return failed{err, false}
	}
	body := url.Values{"logout_token": {token}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, client.LogoutURI, strings.NewReader(body))
	if err != nil {
		return failed{err, true}
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := sender.Do(r)
	if err != nil {
		return failed{fmt.Errorf("tell the client %s: %w", client.ID, err), false}
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNoContent {
		return failed{fmt.Errorf("the client %s answers %d", client.ID, answer.StatusCode), false}
	}
	return nil
}

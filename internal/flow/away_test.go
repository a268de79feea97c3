package flow_test

import (
	"context"
	"errors"
	"testing"

	"portico/internal/code"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/passkey"
)

// awayStore is a database that goes away in the middle of a transaction: at
// the statement whose name is in at.
type awayStore struct {
	flow.Store
	at *string
}

type awayTx struct {
	flow.Tx
	at string
}

var errAway = fault.New(fault.Unavailable, fault.CodeUnavailable)

func (s awayStore) Read(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Read(ctx, func(tx flow.Tx) error { return fn(awayTx{tx, *s.at}) })
}

func (t awayTx) CodeByLink(ctx context.Context, link []byte) (code.Secret, bool, error) {
	if t.at == "code" {
		return code.Secret{}, false, errAway
	}
	return t.Tx.CodeByLink(ctx, link)
}

func (t awayTx) FlowByID(ctx context.Context, id string) (flow.Pending, bool, error) {
	if t.at == "flow" {
		return flow.Pending{}, false, errAway
	}
	return t.Tx.FlowByID(ctx, id)
}

func (t awayTx) PasskeyByCredential(ctx context.Context, credential []byte) (passkey.Passkey, bool, error) {
	if t.at == "passkey" {
		return passkey.Passkey{}, false, errAway
	}
	return t.Tx.PasskeyByCredential(ctx, credential)
}

// A good link that is opened while the database is away is not called broken.
func TestViewLink_WhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	at := ""
	b := setup(t, func(c *flow.Config) { c.Store = awayStore{c.Store, &at} })
	v := b.visitor("192.0.2.1")
	v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "a@example.org", Password: good, Confirm: good}))
	token := linkToken(b.next())
	for _, at = range []string{"code", "flow"} {
		if got, err := b.Flows.ViewLink(t.Context(), v.Caller, token); !errors.Is(err, errAway) {
			t.Errorf("away at the %s: %+v, %v", at, got.Fault, err)
		}
	}
	at = ""
	if got, err := b.Flows.ViewLink(t.Context(), v.Caller, token); err != nil || got.Fault != nil {
		t.Errorf("the database is back: %+v, %v", got.Fault, err)
	}
}

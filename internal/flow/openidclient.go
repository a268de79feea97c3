package flow

import (
	"context"
	"errors"
	"net/url"

	"portico/internal/assertion"
	"portico/internal/openid"
)

// AuthenticateClient returns the client of a proof. Its errors include openid.Error. An
// assertion is spent, whatever follows. The client may be a guest.
//
// Faults: throttle.Limited, when documents of guests have to be loaded, and for an assertion of a client that
// anybody can be; openid.ClientDown.
func (f *OpenID) AuthenticateClient(ctx context.Context, c Caller, p openid.Proof) (openid.Client, error) {
	id, asserted := p.ID, assertion.Assertion{}
	if p.Assertion != "" {
		var err error
		if asserted, err = assertion.Parse(p.Assertion); err != nil {
			return openid.Client{}, unproven(err)
		}
		id = asserted.ClientID
	}
	clients, err := f.ClientsFor(ctx, c, id)
	if errors.Is(err, openid.ClientUnknown) {
		return openid.Client{}, errors.Join(&openid.Error{Code: "invalid_client", Description: "the metadata at client_id does not load, or is not valid"}, err)
	}
	if err != nil {
		return openid.Client{}, err
	}
	if p.Assertion == "" {
		return clients.Authenticate(p)
	}
	claim, err := f.asserts(ctx, c, clients, asserted, p.Audiences)
	if err != nil {
		return openid.Client{}, unproven(err)
	}
	client, known := clients.Get(claim.ClientID)
	if !known || p.ID != "" && p.ID != claim.ClientID {
		return openid.Client{}, unproven(assertion.Wrong("the assertion is of another client"))
	}
	if client.Anybody() {
		if err := f.count(ctx, fromNetwork(assertionPeer, c)...); err != nil {
			return openid.Client{}, err
		}
	}
	first := false
	err = f.store.Write(ctx, func(tx Tx) error {
		first, err = f.asserted.Spend(ctx, tx, claim)
		return err
	})
	if err == nil && !first {
		err = unproven(assertion.Wrong("the assertion was used before"))
	}
	return client, err
}

// unproven returns the error that a client gets for an assertion. A limit and an outage stay what they are: the
// client may try again later, and takes invalid_client for an answer.
func unproven(err error) error {
	var wrong assertion.Wrong
	switch {
	case errors.As(err, &wrong):
		return &openid.Error{Code: "invalid_client", Description: wrong.Error()}
	case errors.Is(err, openid.ClientUnknown):
		return errors.Join(&openid.Error{Code: "invalid_client", Description: "the keys at jwks_uri do not load, or are not valid"}, err)
	}
	return err
}

// Push stores a request of a client and returns its name. Its errors include
// openid.Error. proof is the key proof of the request, if it has one.
//
// Faults: throttle.Limited, for a client that anybody can be.
func (f *OpenID) Push(ctx context.Context, c Caller, client openid.Client, query url.Values, proof assertion.KeyProof) (name string, err error) {
	if client.Anybody() {
		if err := f.count(ctx, fromNetwork(pushPeer, c)...); err != nil {
			return "", err
		}
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		if err := f.spendProof(ctx, tx, proof); err != nil {
			return err
		}
		name, err = f.grants.Push(ctx, tx, client, query)
		return err
	})
	return name, err
}

// Pushed returns the request with a name, or openid.RequestUnknown. begun says that
// the browser was here with it before.
func (f *OpenID) Pushed(ctx context.Context, clientID, name string, begun bool) (openid.Pushed, error) {
	return read(ctx, f.store, func(tx Tx) (openid.Pushed, error) { return f.grants.Pushed(ctx, tx, clientID, name, begun) })
}

package flow

import (
	"context"
	"errors"
	"slices"

	"portico/internal/assertion"
	"portico/internal/clientdoc"
	"portico/internal/openid"
	"portico/internal/origin"
)

// ClientsFor returns the OpenID clients, with a guest if the id is the address of its
// metadata, or of a client that has registered itself. It returns openid.ClientUnknown if these are not there or not valid,
// openid.ClientDown while they do not load, and throttle.Limited.
func (f *OpenID) ClientsFor(ctx context.Context, c Caller, id string) (openid.Clients, error) {
	if !f.settings.Guests || !f.documents.Counts(id) {
		return f.RegisteredFor(ctx, id)
	}
	text, err := f.published(ctx, c, id, describes(id))
	if err != nil {
		return f.clients, err
	}
	return f.described(id, text)
}

// describes returns a check whether a document describes the guest with an id.
func describes(id string) func([]byte) error {
	return func(text []byte) error {
		_, err := openid.ParseMetadata(text, id)
		return err
	}
}

// described returns the OpenID clients with the guest of a document.
func (f *OpenID) described(id string, text []byte) (openid.Clients, error) {
	d, err := openid.ParseMetadata(text, id)
	if err != nil {
		return f.clients, openid.ClientUnknown.WithCause(err) // such as the keys of another client
	}
	return f.with(d.Guest(id, clientdoc.HostOf(id), f.settings.Resources))
}

// with returns the OpenID clients with a guest, which is told about ended sessions only where
// its documents may be. A guest that leads here does not count: public_url may have changed since it was
// registered.
func (f *OpenID) with(guest openid.Client) (openid.Clients, error) {
	if f.leadsHere(guest.RedirectURIs) {
		return f.clients, openid.ClientUnknown.WithCause(errLeadsHere)
	}
	if slices.Contains(f.settings.Audiences, guest.ID) {
		return f.clients, openid.ClientUnknown.WithCause(errAudience)
	}
	if !f.documents.Counts(guest.LogoutURI) {
		guest.LogoutURI = ""
	}
	return f.clients.With(guest), nil
}

// errLeadsHere is what is wrong with a client that leads to Portico itself.
var errLeadsHere = errors.New("an address is at the host of this server: name the address of the app")

// errAudience is what is wrong with a client whose ID tokens an app would take for its own: the same keys sign both.
var errAudience = errors.New("the client_id is the audience of an app: publish the document at another address")

// leadsHere reports whether one of the addresses of a client is at the host of Portico itself. The consent
// page names the host, and users would take the client for Portico.
func (f *OpenID) leadsHere(addresses []string) bool {
	return slices.ContainsFunc(addresses, func(a string) bool { return origin.SameHost(a, f.settings.Targets.Self) })
}

// published returns a document that a guest publishes, if check finds nothing wrong.
// Only loads count for the limit of a network.
func (f *OpenID) published(ctx context.Context, c Caller, address string, check func([]byte) error) ([]byte, error) {
	if text, ok := f.documents.Kept(address); ok {
		return text, nil
	}
	if err := f.count(ctx, fromNetwork(documentPeer, c)...); err != nil {
		return nil, err
	}
	text, err := f.documents.Load(ctx, address, check)
	switch {
	case clientdoc.Withdrawn(err):
		return nil, openid.ClientUnknown.WithCause(err)
	case err != nil:
		return nil, openid.ClientDown.WithCause(err)
	}
	return text, nil
}

// asserts returns the claim of an assertion of a client, which may be a guest. Its errors are assertion.Wrong, and those of
// published.
func (f *OpenID) asserts(ctx context.Context, c Caller, clients openid.Clients, a assertion.Assertion, audiences []string) (assertion.Claim, error) {
	client, _ := clients.Get(a.ClientID)
	if !client.Guest {
		claim, err := f.asserted.Check(ctx, a, audiences)
		if _, wrong := errors.AsType[assertion.Wrong](err); err != nil && !wrong {
			err = openid.ClientDown.WithCause(err)
		}
		return claim, err
	}
	if client.Public {
		return assertion.Claim{}, assertion.Wrong("the client has no keys")
	}
	text := []byte(client.Keys)
	if client.KeysURI != "" {
		var err error
		text, err = f.published(ctx, c, client.KeysURI, func(text []byte) error {
			_, err := assertion.ParseKeys(text)
			return err
		})
		if err != nil {
			return assertion.Claim{}, err
		}
	}
	keys, err := assertion.ParseKeys(text)
	if err != nil {
		return assertion.Claim{}, assertion.Wrong("the keys of the client: " + err.Error())
	}
	return f.asserted.CheckBy(keys, a, audiences)
}

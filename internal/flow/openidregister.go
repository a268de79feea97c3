package flow

import (
	"context"

	"portico/internal/assertion"
	"portico/internal/audit"
	"portico/internal/openid"
)

// RegisteredFor returns the OpenID clients of the settings. If the id belongs to a client
// that has registered itself, the list has this client too. Or it returns openid.ClientUnknown, as with does.
func (f *OpenID) RegisteredFor(ctx context.Context, id string) (openid.Clients, error) {
	if _, known := f.clients.Get(id); known || !f.settings.Registers || openid.RegisteredHost(id) == "" {
		return f.clients, nil
	}
	clients := f.clients
	err := f.store.Read(ctx, func(tx Tx) error {
		r, ok, err := tx.RegisteredByID(ctx, id, f.clock.Now())
		if err != nil || !ok {
			return err
		}
		client, err := r.Client(f.keys.Algorithms(), f.settings.Resources)
		if err == nil {
			clients, err = f.with(client)
		}
		return err
	})
	return clients, err
}

// stillKnown reports whether the tokens of a grant may count: its client is in the settings and its rules
// admit the user, names itself by an address that may, or is still registered.
func (f *OpenID) stillKnown(ctx context.Context, tx Tx, l openid.Live) (bool, error) {
	id := l.Grant.ClientID
	if admitted := f.admits(l); admitted || openid.RegisteredHost(id) == "" {
		return admitted, nil
	}
	_, ok, err := tx.RegisteredByID(ctx, id, f.clock.Now())
	return ok && f.settings.Registers, err
}

// admits is stillKnown without the database, and without registered clients.
func (f *OpenID) admits(l openid.Live) bool {
	if client, known := f.clients.Get(l.Grant.ClientID); known {
		return !client.Refuses(l, f.clock.Now())
	}
	return f.settings.Guests && f.documents.Counts(l.Grant.ClientID)
}

// noteUse keeps a client that has registered itself.
func (f *OpenID) noteUse(ctx context.Context, tx Tx, id string) error {
	if openid.RegisteredHost(id) == "" {
		return nil
	}
	return f.grants.NoteUse(ctx, tx, id)
}

// RegisterClient registers a client that has an initial token. Its errors include
// openid.Error.
//
// Faults: throttle.Limited.
func (f *OpenID) RegisterClient(ctx context.Context, c Caller, initial string, metadata []byte) (openid.Registree, error) {
	return f.registering(ctx, c, audit.RegistrationMade, func(tx Tx) (openid.Registree, error) {
		return f.grants.Register(ctx, tx, initial, f.parser(metadata, ""))
	})
}

// ReadRegistration returns what a client has registered, to the owner of its token. Its
// errors and faults are as for RegisterClient.
func (f *OpenID) ReadRegistration(ctx context.Context, c Caller, id, access string) (openid.Registree, error) {
	return f.registering(ctx, c, "", func(tx Tx) (openid.Registree, error) { return f.grants.Registration(ctx, tx, id, access) })
}

// ChangeRegistration replaces what a client has registered. Its errors and faults are as for
// RegisterClient.
func (f *OpenID) ChangeRegistration(ctx context.Context, c Caller, id, access string, metadata []byte) (openid.Registree, error) {
	return f.registering(ctx, c, audit.RegistrationChanged, func(tx Tx) (openid.Registree, error) {
		return f.grants.Reregister(ctx, tx, id, access, f.parser(metadata, id))
	})
}

// EndRegistration ends a client for the owner of its token, as DeleteRegistered does. Its
// errors and faults are as for RegisterClient.
func (f *OpenID) EndRegistration(ctx context.Context, c Caller, id, access string) error {
	_, err := f.registering(ctx, c, audit.RegistrationEnded, func(tx Tx) (openid.Registree, error) {
		r, err := f.grants.Registration(ctx, tx, id, access)
		if err == nil {
			_, err = tx.EndRegistered(ctx, id, f.clock.Now())
		}
		return r, err
	})
	return err
}

// registering counts a request about a registration, carries it out and records it, unless
// name is "".
func (f *OpenID) registering(ctx context.Context, c Caller, name audit.Name, do func(Tx) (openid.Registree, error)) (r openid.Registree, err error) {
	if err := f.count(ctx, fromNetwork(registerPeer, c)...); err != nil {
		return openid.Registree{}, err
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		if r, err = do(tx); err != nil || name == "" {
			return err
		}
		return f.record.Add(ctx, tx, fact(c, name, "", r.ID))
	})
	return r, err
}

// parser returns how the metadata of a client are read. id is of a client that is there, ""
// for a new one.
func (f *OpenID) parser(metadata []byte, id string) func() (openid.Registration, error) {
	return func() (openid.Registration, error) {
		r, err := openid.ParseRegistration(metadata, id, f.keys.Algorithms())
		if err == nil && len(r.Keys) > 0 {
			if _, wrong := assertion.ParseKeys(r.Keys); wrong != nil {
				err = &openid.Error{Code: "invalid_client_metadata", Description: "jwks: " + wrong.Error()}
			}
		}
		if err == nil && f.leadsHere(r.RedirectURIs) { // all other addresses are at the same host
			err = &openid.Error{Code: "invalid_redirect_uri", Description: errLeadsHere.Error()}
		}
		for _, told := range []struct{ member, address string }{{"jwks_uri", r.KeysURI}, {"backchannel_logout_uri", r.LogoutURI}} {
			if err == nil && told.address != "" && !f.documents.Counts(told.address) {
				err = &openid.Error{Code: "invalid_client_metadata", Description: told.member + " must be an https address of at most 512 bytes, without a query, at an allowed origin"}
			}
		}
		return r, err
	}
}

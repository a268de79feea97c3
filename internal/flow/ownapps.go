package flow

import (
	"cmp"
	"context"
	"strings"
	"time"

	"portico/internal/audit"
	"portico/internal/clientdoc"
	"portico/internal/openid"
	"portico/internal/session"
)

// App is an OpenID client that knows an account.
type App struct {
	ID     string
	Name   string
	Scopes []string // that the user has agreed to; none if the client asks no user
	Since  time.Time
}

// Apps returns the OpenID clients that know an account, the newest first.
func (f *reader) Apps(ctx context.Context, accountID string) ([]App, error) {
	return read(ctx, f.store, func(tx Tx) ([]App, error) { return f.apps(ctx, tx, accountID) })
}

func (f *core) apps(ctx context.Context, tx Tx, accountID string) (list []App, err error) {
	known, err := f.grants.Apps(ctx, tx, accountID)
	for _, c := range known {
		list = append(list, App{c.ClientID, f.nameOf(c.ClientID), c.Scopes, c.GivenAt})
	}
	return list, err
}

// RemoveApp ends everything that an OpenID client has obtained from the signed-in user,
// and tells the client and the user. The client asks the user again before it gets
// anything else.
//
// Faults: session.Required.
func (f *Owner) RemoveApp(ctx context.Context, c Caller, found session.Found, clientID string) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		change := fact(c, audit.ConsentRevoked, owner.ID, clientID)
		gone, err := f.forgetApp(ctx, tx, clientID, change)
		if err != nil || !gone.Any() {
			return err
		}
		l := inWords(owner.Account, change)
		l.app = f.nameOf(clientID)
		return f.post(ctx, tx, c, l)
	})
}

// forgetApp ends what a client has obtained from the account of a record, and tells the client.
// It adds the record if there was anything.
func (f *core) forgetApp(ctx context.Context, tx Tx, clientID string, r audit.Fact) (openid.Forgotten, error) {
	gone, err := f.grants.Forget(ctx, tx, r.AccountID, clientID)
	if err != nil || !gone.Any() {
		return gone, err
	}
	if err := f.sessions.Changed(ctx, tx, r.AccountID); err != nil {
		return gone, err
	}
	if err := f.tell(ctx, tx, r.AccountID, gone.Told); err != nil {
		return gone, err
	}
	return gone, f.record.Add(ctx, tx, r)
}

// nameOf returns the name of an OpenID client for users. It is the host of a guest, and
// the id of a client that is removed from the settings.
func (f *core) nameOf(clientID string) string {
	if client, ok := f.clients.Get(clientID); ok {
		return client.Name
	}
	return cmp.Or(clientdoc.HostOf(clientID), openid.RegisteredHost(clientID), clientID)
}

// AppOf returns the name of the app that a record is about, "" for none.
func (f *Owner) AppOf(r audit.Fact) string {
	switch r.Name {
	case audit.ClientAuthorized, audit.ConsentGiven, audit.ConsentRevoked, audit.GrantRevoked, audit.GrantReused:
		id, _, _ := strings.Cut(r.Detail, ",")
		return f.nameOf(id)
	case audit.TokenMade, audit.TokenEnded:
		return r.Detail
	}
	return ""
}

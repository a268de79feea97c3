package flow

import (
	"cmp"
	"context"
	"slices"

	"portico/internal/clientdoc"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/session"
)

// endOne ends one session, with what OpenID clients have obtained from it, and tells
// these clients. It reports whether the session was there. What outlives a session stays
// only when its own browser signs out: any other end may be meant for a thief.
//
// Every end of a session goes through endOne, endAll or the new sign-in of
// admitted (internal/archtest/sessions_test.go).
func (f *core) endOne(ctx context.Context, tx Tx, accountID, id string, why session.Reason) (bool, error) {
	told, err := f.grants.SignOut(ctx, tx, accountID, id, why != session.Left)
	if err != nil {
		return false, err
	}
	ok, err := f.sessions.End(ctx, tx, accountID, id, why)
	if err != nil || !ok {
		return false, err
	}
	return true, f.tell(ctx, tx, accountID, told)
}

// endAll is endOne for all sessions of an account but one. It ends the personal access tokens, too, and what OpenID
// clients have kept of former sessions: whoever may have used such a session may have made one.
func (f *core) endAll(ctx context.Context, tx Tx, accountID, keep string, why session.Reason) error {
	if err := tx.EndPersonal(ctx, accountID, "", f.clock.Now()); err != nil {
		return err
	}
	told, err := f.grants.SignOutAll(ctx, tx, accountID, keep)
	if err != nil {
		return err
	}
	if err := f.sessions.EndAll(ctx, tx, accountID, keep, why); err != nil {
		return err
	}
	return f.tell(ctx, tx, accountID, told)
}

// The data of a message to a client about an ended session.
const (
	LogoutUser = "user"
	LogoutSID  = "sid"
)

// tell enqueues a message to each client that wants to know of ended sessions.
func (f *core) tell(ctx context.Context, tx Tx, accountID string, told []openid.Ended) error {
	var all []outbox.Message
	for _, e := range told {
		client, listed := f.clients.Get(e.ClientID)
		template := outbox.LogoutTemplate
		switch {
		case !listed && e.MayTell:
			template = outbox.GuestLogoutTemplate
		case client.LogoutURI == "":
			continue
		}
		all = append(all, outbox.Message{
			Template: template, To: e.ClientID, AccountID: accountID,
			Data: map[string]string{LogoutUser: cmp.Or(e.Subject, accountID), LogoutSID: e.SID},
		})
	}
	return f.outbox.Enqueue(ctx, tx, all...)
}

// ClientToTell returns the client of a message with its present settings, or false when there is
// no such client anymore, such as a guest that has withdrawn its metadata document, or that leads to Portico itself
// by now. It returns an error while that document does not load, and the message waits.
func (f *OpenID) ClientToTell(ctx context.Context, id string) (openid.Client, bool, error) {
	clients, err := f.RegisteredFor(ctx, id)
	if err == nil && f.settings.Guests && f.documents.Counts(id) {
		var text []byte
		text, err = f.documents.Load(ctx, id, describes(id))
		switch {
		case clientdoc.Withdrawn(err):
			err = nil
		case err == nil:
			clients, err = f.described(id, text)
		}
	}
	client, known := clients.Get(id)
	return client, known, ignore(err, openid.ClientUnknown)
}

// endListed is endAll, and returns how many of the sessions and tokens the lists of the account would have
// shown. Expired rows that are not yet deleted do not count. A session that an OpenID client has outlived does.
func (f *core) endListed(ctx context.Context, tx Tx, accountID, keep string, why session.Reason) (int, error) {
	sessions, err := f.sessions.List(ctx, tx, accountID)
	if err != nil {
		return 0, err
	}
	offline, err := tx.OfflineSessions(ctx, accountID, f.clock.Now())
	if err != nil {
		return 0, err
	}
	for _, s := range sessions {
		offline = append(offline, s.ID)
	}
	slices.Sort(offline)
	held := slices.DeleteFunc(slices.Compact(offline), func(id string) bool { return id == keep })
	tokens, err := tx.PersonalsOf(ctx, accountID, f.clock.Now())
	if err != nil {
		return 0, err
	}
	return len(held) + len(tokens), f.endAll(ctx, tx, accountID, keep, why)
}

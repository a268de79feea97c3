package flow

import (
	"context"
	"errors"

	"portico/internal/apikey"
	"portico/internal/session"
)

// PersonalAt returns the user of a personal access token at an app, as a session in which nothing was proven. use
// says that the token is used now.
//
// Faults: apikey.UnknownPersonal and apikey.EndedPersonal, which wrap session.Required; apikey.OtherApp.
func (f *Flows) PersonalAt(ctx context.Context, text, app string, use bool) (session.Found, error) {
	if !apikey.ValidPersonal(text) {
		return session.Found{}, apikey.UnknownPersonal.WithCause(session.Required)
	}
	found, kept := f.sessions.TokenKept(text, use)
	if !kept {
		var err error
		if found, err = f.readToken(ctx, text, use); err != nil {
			return session.Found{}, err
		}
	}
	if found.Session.App != app {
		return session.Found{}, apikey.OtherApp
	}
	return found, nil
}

func (f *Flows) readToken(ctx context.Context, text string, use bool) (session.Found, error) {
	found, err := read(ctx, f.store, func(tx Tx) (session.Found, error) { return f.sessions.Token(ctx, tx, text, use) })
	switch {
	case errors.Is(err, session.Ended):
		err = apikey.EndedPersonal.WithCause(err)
	case errors.Is(err, session.Required):
		err = apikey.UnknownPersonal.WithCause(err)
	}
	return found, err
}

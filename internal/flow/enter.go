package flow

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/secret"
	"portico/internal/session"
)

// byProvider is how the name of a proof by a provider begins.
const byProvider = "provider:"

// evidence is how and when a person proved who they are. The time is zero when
// a provider does not tell it.
type evidence struct {
	method string
	at     time.Time
}

// given is the evidence of a proof that was given to us just now.
func (f *Flows) given(method string) evidence { return evidence{method, f.clock.Now()} }

// enter is the one place where a session starts. It ends the session that the
// browser had, whoever's it was, so that no token outlives a sign-in.
func (f *Flows) enter(ctx context.Context, tx Tx, c Caller, a account.Account, returnTo Target, proof evidence) (Result, error) {
	left, err := f.leave(ctx, tx, c)
	if err != nil {
		return Result{}, err
	}
	token, s, err := f.sessions.Start(ctx, tx, a.ID, a.Version, c.Agent, proof.at, proof.method)
	if err != nil {
		return Result{}, err
	}
	if err := f.record.Add(ctx, tx, fact(c, audit.SignedIn, a.ID, proof.method)); err != nil {
		return Result{}, err
	}
	r := Result{
		Next:    f.targets.Or(returnTo),
		Session: &Token{Value: token, ExpiresAt: s.ExpiresAt},
		Device:  f.device(a),
		left:    left,
		entered: proof.method,
	}
	if provider, ok := strings.CutPrefix(proof.method, byProvider); ok {
		r.Provider = provider
	}
	return r, nil
}

// learnLocale keeps the language of the first sign-in to an account whose
// language is not known: one that an operator made, or that is older than the
// column. Later sign-ins do not change it.
func (f *Flows) learnLocale(ctx context.Context, tx Tx, c Caller, a *account.Account) error {
	if a.Locale != "" || c.Locale == "" {
		return nil
	}
	a.Locale = c.Locale
	_, err := tx.UpdateLocale(ctx, a.ID, a.Locale)
	return err
}

// leave ends the session of the caller's browser, if there is one, and returns
// whose it was.
func (f *Flows) leave(ctx context.Context, tx Tx, c Caller) (accountID string, err error) {
	if !secret.ValidToken(c.Session) {
		return "", nil
	}
	old, ok, err := tx.SessionByHash(ctx, secret.Hash(c.Session))
	if err != nil || !ok {
		return "", err
	}
	_, err = f.sessions.End(ctx, tx, old.Session.AccountID, old.Session.ID, session.Left)
	return old.Session.AccountID, err
}

// settled makes every check see the result of a committed step: of the account
// whose step it was, and of the one that the browser has left.
func (f *Flows) settled(r Result, accountID string) Result {
	f.sessions.Forget(accountID)
	if r.left != "" && r.left != accountID {
		f.sessions.Forget(r.left)
	}
	return r
}

// device returns a cookie that tells this browser from a stranger's at the
// next sign-in to the account: an id and a keyed hash of it with the account
// and its credential version. It opens nothing; it only moves wrong guesses to
// a count of their own.
func (f *Flows) device(a account.Account) string {
	id := ids.New()
	return id + "." + f.deviceMAC(id, a)
}

func (f *Flows) deviceMAC(id string, a account.Account) string {
	return base64.RawURLEncoding.EncodeToString(f.devices.Sum(id, a.ID, version(a)))
}

// knownDevice returns the id of the caller's browser when the owner of the
// account has signed in with it, else "".
func (f *Flows) knownDevice(c Caller, a *account.Account) string {
	id, mac, ok := strings.Cut(c.Device, ".")
	if !ok || a == nil || !secret.Equal([]byte(mac), []byte(f.deviceMAC(id, *a))) {
		return ""
	}
	return id
}

// SignOut ends the caller's session. It succeeds when there is none.
func (f *Flows) SignOut(ctx context.Context, c Caller) error {
	found, err := f.Session(ctx, c.Session)
	if err != nil {
		return ignore(err, session.Required)
	}
	return f.endSession(ctx, c, found, found.Session.ID, session.Left, audit.SignedOut)
}

// Session returns the session of a token, session.Required or session.Ended. It
// counts as use.
func (f *Flows) Session(ctx context.Context, token string) (session.Found, error) {
	if found, ok := f.sessions.CheckKept(token); ok {
		return found, nil
	}
	return f.checkSession(ctx, token)
}

// checkSession is a function of its own because found escapes to the heap here.
func (f *Flows) checkSession(ctx context.Context, token string) (found session.Found, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		found, err = f.sessions.Check(ctx, tx, token)
		return err
	})
	return found, err
}

// PeekSession is Session without counting as use, for the watch over open
// requests.
func (f *Flows) PeekSession(ctx context.Context, token string) (session.Found, error) {
	if found, ok := f.sessions.PeekKept(token); ok {
		return found, nil
	}
	return f.readSession(ctx, token)
}

// readSession is a function of its own because found escapes to the heap here.
func (f *Flows) readSession(ctx context.Context, token string) (found session.Found, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		found, err = f.sessions.Peek(ctx, tx, token)
		return err
	})
	return found, err
}

// Sessions lists where the caller is signed in.
func (f *Flows) Sessions(ctx context.Context, found session.Found) ([]session.Session, error) {
	return f.UserSessions(ctx, found.Person.ID)
}

// EndSession ends one of the caller's own sessions, or returns
// session.Missing: for another person's as well, so that ids tell nothing.
func (f *Flows) EndSession(ctx context.Context, c Caller, found session.Found, id string) error {
	if !ids.Valid(id) {
		return session.Missing
	}
	why := session.Elsewhere
	if id == found.Session.ID {
		why = session.Left
	}
	return f.endSession(ctx, c, found, id, why, audit.SessionEnded)
}

func (f *Flows) endSession(ctx context.Context, c Caller, found session.Found, id string, why session.Reason, name audit.Name) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		ok, err := f.sessions.End(ctx, tx, found.Person.ID, id, why)
		if err != nil {
			return err
		}
		if !ok {
			return session.Missing
		}
		return f.record.Add(ctx, tx, fact(c, name, found.Person.ID, ""))
	})
	f.sessions.Forget(found.Person.ID)
	return err
}

// EndOtherSessions ends all of the caller's sessions but this one.
func (f *Flows) EndOtherSessions(ctx context.Context, c Caller, found session.Found) error {
	err := f.store.Write(ctx, func(tx Tx) error {
		if err := f.sessions.EndAll(ctx, tx, found.Person.ID, found.Session.ID, session.Elsewhere); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, fact(c, audit.SessionEnded, found.Person.ID, "others"))
	})
	f.sessions.Forget(found.Person.ID)
	return err
}

func version(a account.Account) string { return strconv.FormatInt(a.Version, 10) }

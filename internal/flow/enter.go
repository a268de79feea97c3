package flow

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/secret"
	"portico/internal/session"
)

// byProvider is the prefix of a proof by a provider, before the provider's id.
const byProvider = "provider:"

// byOperatorLink is the proof of a user who has opened a link of the operator.
const byOperatorLink = "operator_link"

// entry is a sign-in with the proofs given so far, which are in methods.
type entry struct {
	account  judged
	returnTo Target
	methods  []string
	at       time.Time // the time of the newest proof; zero if a provider does not report it
	strongAt time.Time // the time of the second factor, also at a provider that the operator trusts with it; zero without one
	through  *identity // of the account, at the provider that has given the first proof; nil for another one
	joinFlow string    // flow with a provider's identity that waits to be joined
	gains    []string  // roles that this identity gives, and the account has afterwards: foresees finds out
	announce bool      // tell the owner about a new browser
	trust    bool      // the owner wants this browser to be trusted
	trusted  bool      // the account has a second factor, which this browser need not give: needsFactor finds out
	later    bool      // the owner has put off a second factor that the account needs
	live     bool      // the browser has a session of the account, which this proof adds to

	makesPasskeys bool           // the browser can make a passkey
	secondFactors *SecondFactors // what the account can give in addition to the first proof; nil until it is read
}

// detail returns how the owner signed in, for the audit record.
func (e entry) detail() string {
	words := strings.Join(e.methods, ",")
	if e.trusted {
		words += "," + byTrust
	}
	return words
}

// entryBy returns the entry by a proof that Portico itself has just checked.
func (f *Flows) entryBy(a judged, returnTo Target, method string) entry {
	return entry{account: a, returnTo: returnTo, methods: []string{method}, at: f.clock.Now()}
}

// needsFactor reports whether a sign-in lacks a second factor that the account has, unless the
// account trusts the browser. A passkey counts as a second factor only if the account must have
// one, or if a provider is being joined to it. In the second case a factor at another
// provider does not count. Otherwise the user may have added the passkey only for convenience.
func (f *core) needsFactor(ctx context.Context, tx Tx, c Caller, e *entry) (lacks bool, err error) {
	switch {
	case slices.ContainsFunc(e.methods, ofAccount):
		return false, nil
	case e.joinFlow != "", e.strongAt.IsZero() && f.demands(*e):
		have, err := f.secondFactors(ctx, tx, e.account.ID) // a passkey is enough only if it is used
		e.secondFactors, lacks = &have, have.Any()
		if err != nil {
			return false, err
		}
	default:
		apps, err := tx.FactorsOf(ctx, e.account.ID)
		if lacks = len(apps) > 0; err != nil {
			return false, err
		}
	}
	if lacks {
		e.trusted, err = f.trustedHere(ctx, tx, c, *e)
	}
	return lacks && !e.trusted, err
}

// interrupts begins the step that asks for what a sign-in lacks: the second factor, whether a
// closed account is taken back, the proof of an imported address, the terms, or a first second factor. It judges a sign-in that has
// waited like a new one. It reports false if nothing is missing.
func (f *core) interrupts(ctx context.Context, tx Tx, c Caller, e *entry) (r Result, waits bool, err error) {
	if e.live {
		return Result{}, false, nil // own has judged the session that it adds to
	}
	lacks, err := f.needsFactor(ctx, tx, c, e)
	if err != nil {
		return Result{}, false, err
	}
	unproven, err := f.asksForAddress(ctx, tx, *e)
	if err != nil {
		return Result{}, false, err
	}
	p, d := e.pending()
	switch {
	case lacks:
		p.Kind, p.Step = SecondFactor, Factor
	case e.account.State == account.Leaving:
		p.Kind, p.Step = Return, Keep
	case unproven:
		r, err = f.askAddress(ctx, tx, c, *e)
		return r, true, err
	case f.lacks(e.account.Terms):
		p.Kind, p.Step = Acceptance, Accept
	default:
		if waits, err = f.unprotected(ctx, tx, *e); err != nil || !waits {
			return Result{}, false, err
		}
		p.Kind, p.Step, d.Secret = Protection, Protect, factor.NewSecret()
		if err := f.beginGrace(ctx, tx, e.account); err != nil {
			return Result{}, false, err
		}
	}
	r, err = f.ask(ctx, tx, c, p, d)
	return r, true, err
}

// admitted is the only function that starts a session for a proof. Until nothing is
// missing it starts none, and nothing of the account changes. It ends the previous session
// of the browser, of whatever account, so that no token outlives a sign-in.
func (f *core) admitted(ctx context.Context, tx Tx, c Caller, e entry) (Result, error) {
	before := e.account
	after, err := f.foresees(ctx, tx, c, &e)
	if err != nil {
		return Result{}, err
	}
	if r, waits, err := f.interrupts(ctx, tx, c, &e); err != nil || waits {
		return r, err
	}
	if err := f.grant(ctx, tx, c, before, after, true); err != nil {
		return Result{}, err
	}
	returnTo, err := f.joinPending(ctx, tx, c, e)
	if err != nil {
		return Result{}, err
	}
	if e.announce {
		if err := f.noticeDevice(ctx, tx, c, e.account.Account); err != nil {
			return Result{}, err
		}
	}
	if err := f.recordEntry(ctx, tx, c, e); err != nil {
		return Result{}, err
	}
	former, keeps, err := f.leave(ctx, tx, c, e.account.ID)
	if err != nil {
		return Result{}, err
	}
	if err := f.followChoice(ctx, tx, c, e.account.Account); err != nil {
		return Result{}, err
	}
	if untouched(e.account.Account) {
		if err := tx.DeleteWelcome(ctx, e.account.ID); err != nil {
			return Result{}, err
		}
	}
	if err := f.makeRoom(ctx, tx, e.account.ID); err != nil {
		return Result{}, err
	}
	token, s, err := f.sessions.Start(ctx, tx, session.Session{
		AccountID: e.account.ID, Version: e.account.Version, UserAgent: c.Agent, Peer: c.Peer,
		Methods: e.methods, AuthenticatedAt: e.at, StrongAt: e.strongAt,
	})
	if err != nil {
		return Result{}, err
	}
	if keeps {
		if err := tx.MoveGrants(ctx, former.ID, s.ID, s.ExpiresAt); err != nil {
			return Result{}, err
		}
	}
	next, err := f.nextOf(ctx, tx, e, former, f.markAnswered(c, e, returnTo, token))
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Next:    next,
		Session: &Token{Value: token, ExpiresAt: s.ExpiresAt},
		left:    former.AccountID,
		entered: e.methods[0],
	}
	if provider, ok := strings.CutPrefix(e.methods[0], byProvider); ok {
		r.Provider = provider
	}
	if e.trust {
		if r.Trust, err = f.trustBrowser(ctx, tx, c, e.account); err != nil {
			return Result{}, err
		}
	}
	r.Device, err = f.device(ctx, tx, e.account.Account)
	return r, err
}

// recordEntry records a sign-in. In a browser that is signed in to the account already, it
// is only another proof. A step that adds to a live session records that itself.
func (f *core) recordEntry(ctx context.Context, tx Tx, c Caller, e entry) error {
	if e.live {
		return nil
	}
	found, err := f.sessions.Peek(ctx, tx, c.Session)
	if err := ignore(err, session.Required); err != nil {
		return err
	}
	name := audit.SignedIn
	if found.User.ID == e.account.ID {
		name = audit.ProofGiven
	}
	return f.record.Add(ctx, tx, fact(c, name, e.account.ID, e.detail()))
}

// leave ends the session of the caller's browser, if there is one, and returns it. next is the account of the new session.
// keeps reports whether it is the same one, so that the new session takes over what OpenID clients have obtained. A session that
// has ended by age or idleness hands nothing over.
func (f *core) leave(ctx context.Context, tx Tx, c Caller, next string) (former session.Session, keeps bool, err error) {
	if !secret.ValidToken(c.Session) {
		return session.Session{}, false, nil
	}
	old, ok, err := tx.SessionByHash(ctx, secret.Hash(c.Session))
	if err != nil || !ok {
		return session.Session{}, false, err
	}
	keeps = old.Session.AccountID == next
	switch _, err := f.sessions.Peek(ctx, tx, c.Session); {
	case errors.Is(err, session.Required) && keeps:
		return old.Session, false, nil // EndAged tells of it
	case ignore(err, session.Required) != nil:
		return session.Session{}, false, err
	}
	end := f.endOne
	if keeps {
		end = func(ctx context.Context, tx Tx, accountID, id string, why session.Reason) (bool, error) {
			return f.sessions.End(ctx, tx, accountID, id, why)
		}
	}
	_, err = end(ctx, tx, old.Session.AccountID, old.Session.ID, session.Left)
	return old.Session, keeps, err
}

// makeRoom ends the sessions of an account that were used least recently, if it has no room for another one.
func (f *core) makeRoom(ctx context.Context, tx Tx, accountID string) error {
	list, err := f.sessions.List(ctx, tx, accountID)
	if err != nil || len(list) < session.Most {
		return err
	}
	slices.SortStableFunc(list, func(a, b session.Session) int { return b.LastSeenAt.Compare(a.LastSeenAt) })
	for _, s := range list[session.Most-1:] {
		if _, err := f.endOne(ctx, tx, accountID, s.ID, session.Crowded); err != nil {
			return err
		}
	}
	return nil
}

// settled returns the result of a step, or its error. After a step was committed, it drops two
// accounts from the session cache: the account of the step, and the one that the browser has left.
func (f *core) settled(r Result, accountID string, err error) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	f.sessions.Forget(accountID)
	if r.left != "" && r.left != accountID {
		f.sessions.Forget(r.left)
	}
	return r, nil
}

// SignOut ends the caller's session. It succeeds without a session.
func (f *Flows) SignOut(ctx context.Context, c Caller) error {
	found, err := f.Session(ctx, c.Session)
	if err != nil {
		return ignore(err, session.Required)
	}
	err = f.endSession(ctx, c, found, found.Session.ID, session.Left, audit.SignedOut)
	return ignore(ignore(err, session.Missing), session.Required) // it has just ended elsewhere
}

// signsOut is SignOut in the transaction of its caller. It returns the account of the session, "" without one.
func (f *Flows) signsOut(ctx context.Context, tx Tx, c Caller) (left string, err error) {
	found, err := f.sessions.Peek(ctx, tx, c.Session)
	var owner judged
	if err == nil {
		owner, err = f.owned(ctx, tx, found)
	}
	if err == nil {
		err = f.endOwn(ctx, tx, c, owner, found.Session.ID, session.Left, audit.SignedOut)
	}
	return found.User.ID, ignore(ignore(err, session.Missing), session.Required)
}

// Session returns the session of a token, session.Required or session.Ended. It
// counts as use.
func (f *Flows) Session(ctx context.Context, token string) (session.Found, error) {
	if found, ok := f.sessions.CheckKept(token); ok {
		return found, nil
	}
	return read(ctx, f.store, func(tx Tx) (session.Found, error) { return f.sessions.Check(ctx, tx, token) })
}

// PeekSession is Session without counting as use, for the watch over open
// requests.
func (f *Flows) PeekSession(ctx context.Context, token string) (session.Found, error) {
	if found, ok := f.sessions.PeekKept(token); ok {
		return found, nil
	}
	return read(ctx, f.store, func(tx Tx) (session.Found, error) { return f.sessions.Peek(ctx, tx, token) })
}

func (f *core) endSession(ctx context.Context, c Caller, found session.Found, id string, why session.Reason, name audit.Name) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error { return f.endOwn(ctx, tx, c, owner, id, why, name) })
}

// endOwn is endSession in the transaction of its caller.
func (f *core) endOwn(ctx context.Context, tx Tx, c Caller, owner judged, id string, why session.Reason, name audit.Name) error {
	ok, err := f.endOne(ctx, tx, owner.ID, id, why)
	if err == nil && !ok {
		err = session.Missing
	}
	if err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, name, owner.ID, ""))
}

func version(a account.Account) string { return strconv.FormatInt(a.Version, 10) }

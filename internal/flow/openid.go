package flow

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"portico/internal/assertion"
	"portico/internal/audit"
	"portico/internal/openid"
	"portico/internal/rule"
	"portico/internal/session"
)

// Authorize gives the client of a request a code for the session, and spends the mark of the request.
// agreed says that the user was asked just now, and agrees. Without that it may return
// openid.ErrConsentNeeded. Its errors include openid.Error and ErrMarkSpent.
//
// Faults: session.Required.
func (f *OpenID) Authorize(ctx context.Context, c Caller, found session.Found, r openid.Request, m Mark, agreed bool) (code string, err error) {
	err = f.store.Write(ctx, func(tx Tx) error {
		owner, err := f.owned(ctx, tx, found)
		if err != nil {
			return err
		}
		if err := f.admitted(r.Client, found, owner); errors.Is(err, rule.RoleMissing) {
			return fmt.Errorf("%w: %w", &openid.Error{Code: "access_denied", Description: "the user may not use this client"}, err)
		} else if err != nil {
			return err
		}
		if err := r.Unmet(owner.Roles, f.clock.Now()); err != nil {
			return err
		}
		if r.TooWeak(found.Session.Strong()) {
			return &openid.Error{Code: "unmet_authentication_requirements", Description: "the user has given no second factor"}
		}
		if err := f.spendMark(ctx, tx, m); err != nil {
			return err
		}
		if err := f.agree(ctx, tx, c, r.Client, owner.ID, r.Asks(), agreed); err != nil {
			return err
		}
		if code, err = f.grants.Grant(ctx, tx, r, signedIn(found.Session)); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, fact(c, audit.ClientAuthorized, owner.ID, r.Client.ID))
	})
	if errors.Is(err, session.Required) {
		f.sessions.Forget(found.User.ID) // or the next request would find the session in memory
	}
	return code, err
}

// admitted judges the rules of a client by the roles that the account has now. The session may come from memory: if its
// roles led to another ruling, the request must be judged again.
//
// Faults: rule.RoleMissing, session.Required.
func (f *OpenID) admitted(client openid.Client, found session.Found, owner judged) error {
	by := openid.Standing{Roles: owner.Roles, ProvenAt: found.Session.AuthenticatedAt, StrongAt: found.Session.StrongAt}
	now := f.clock.Now()
	ruling := client.Admits(by, now)
	by.Roles = found.User.Roles
	switch {
	case ruling == openid.NotAdmitted:
		return rule.RoleMissing
	case ruling != client.Admits(by, now):
		return session.Required
	}
	return nil
}

// agree stores and records that a user lets a client have what it asks for, if that is new. Its errors are as for
// openid.Keeper.Agree.
func (f *OpenID) agree(ctx context.Context, tx Tx, c Caller, client openid.Client, accountID string, scopes []string, agreed bool) error {
	stored, err := f.grants.Agree(ctx, tx, client, accountID, scopes, agreed)
	if err != nil || !stored {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.ConsentGiven, accountID, client.ID))
}

// Subject returns what a client calls the user of an account.
func (f *OpenID) Subject(ctx context.Context, client openid.Client, accountID string) (subject string, err error) {
	if client.Imported && accountID != "" {
		err = f.store.Read(ctx, func(tx Tx) error {
			subject, err = client.SubjectOf(ctx, tx, accountID)
			return err
		})
	}
	return cmp.Or(subject, accountID), err
}

// signedIn returns a session as grants name it.
func signedIn(s session.Session) openid.SignIn {
	return openid.SignIn{AccountID: s.AccountID, Version: s.Version, SessionID: s.ID, SID: s.SID(), Methods: s.Methods, Strong: s.Strong(), At: s.AuthenticatedAt}
}

// RedeemCode exchanges a code for tokens. Its errors include the errors of
// openid.Keeper.CodeOf. proof is the key proof of the request, if it has one.
func (f *OpenID) RedeemCode(ctx context.Context, c Caller, client openid.Client, in openid.Redemption, proof assertion.KeyProof) (t openid.Tokens, err error) {
	in.Key = proof.Key
	code, err := f.grants.ShownCode(client, in)
	if err != nil {
		return openid.Tokens{}, err
	}
	began := f.grants.Moment()
	t, err = f.exchange(ctx, c, client, proof, "code", func(tx Tx) (openid.Tokens, bool, error) {
		l, err := f.grants.CodeOf(ctx, tx, client, code, in)
		if err == nil {
			err = f.grants.StillAllowed(ctx, tx, client, l)
		}
		if err != nil {
			return openid.Tokens{}, false, err
		}
		return f.grants.Redeem(ctx, tx, client, l, in)
	})
	if err == nil {
		f.grants.Keep(t.Live, began) // UserInfo often follows
	}
	return t, err
}

// RefreshTokens exchanges a refresh token for the next one. Its errors include
// the errors of openid.Keeper.RefreshOf. proof is as for RedeemCode.
func (f *OpenID) RefreshTokens(ctx context.Context, c Caller, client openid.Client, in openid.Renewal, proof assertion.KeyProof) (t openid.Tokens, err error) {
	in.Key = proof.Key
	shown, err := f.grants.ShownRefresh(client, in.Refresh)
	if err != nil {
		return openid.Tokens{}, err
	}
	return f.exchange(ctx, c, client, proof, "refresh", func(tx Tx) (openid.Tokens, bool, error) {
		l, err := f.grants.RefreshOf(ctx, tx, client, shown, in)
		if err == nil {
			err = f.grants.StillAllowed(ctx, tx, client, l)
		}
		if err != nil {
			return openid.Tokens{}, false, err
		}
		return f.grants.Refresh(ctx, tx, client, l, shown, in)
	})
}

// exchange runs an exchange for the tokens of a grant in one transaction, and spends the
// key proof if it succeeds. run reads the grant in that transaction: SQLite's writer has its pages
// in memory, and each commit makes readers read theirs again. If run has ended the grant, exchange
// records that with the kind of the exchange, and tells the owner, who did not cause it.
func (f *OpenID) exchange(ctx context.Context, c Caller, client openid.Client, proof assertion.KeyProof, kind string, run func(Tx) (openid.Tokens, bool, error)) (t openid.Tokens, err error) {
	var ended bool
	err = f.store.Write(ctx, func(tx Tx) error {
		if t, ended, err = run(tx); err != nil {
			return err
		}
		if !ended {
			if err := f.spendProof(ctx, tx, proof); err != nil {
				return err
			}
			return f.noteUse(ctx, tx, client.ID)
		}
		owner := t.Live.Grant.AccountID
		if err := f.sessions.Changed(ctx, tx, owner); err != nil {
			return err
		}
		record := fact(c, audit.GrantReused, owner, client.ID+","+kind)
		record.Actor = actorStranger
		if err := f.record.Add(ctx, tx, record); err != nil {
			return err
		}
		account, ok, err := tx.AccountByID(ctx, owner)
		if err != nil || !ok {
			return err
		}
		return f.post(ctx, tx, c, email{template: mailReused, owner: &account, app: f.nameOf(client.ID)})
	})
	if ended {
		f.sessions.Forget(t.Live.Grant.AccountID)
	}
	if err == nil && t.Access == "" {
		return t, &openid.Error{Code: "invalid_grant", Description: "the code or token was used before, so the grant has ended: the user must sign in again"}
	}
	return t, err
}

// RevokeToken revokes a token of a client. It succeeds for a text that is not a token, or not one that
// works. Its errors include openid.ForeignToken.
func (f *OpenID) RevokeToken(ctx context.Context, c Caller, client openid.Client, token string) error {
	signed, err := f.signedAccess(token)
	if err != nil {
		return err
	}
	var changed *openid.Live
	err = f.store.Write(ctx, func(tx Tx) error {
		changed = nil
		if done, err := f.revokeMachine(ctx, tx, client, token, signed); err != nil || done {
			return err
		}
		var ended bool
		var err error
		if signed != nil {
			changed, err = f.grants.RevokeJWT(ctx, tx, client, *signed)
		} else {
			changed, ended, err = f.grants.Revoke(ctx, tx, client, token)
		}
		if err != nil || changed == nil {
			return err
		}
		if err := f.sessions.Changed(ctx, tx, changed.User.ID); err != nil || !ended {
			return err
		}
		return f.record.Add(ctx, tx, fact(c, audit.GrantRevoked, changed.User.ID, client.ID))
	})
	if changed != nil {
		f.sessions.Forget(changed.User.ID)
	}
	return err
}

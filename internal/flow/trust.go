package flow

import (
	"context"
	"errors"
	"strings"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/session"
	"portico/internal/trust"
)

// byTrust is listed after the methods in the record of a sign-in for which no second
// factor was given. It does not count as a method: the session has one proof.
const byTrust = "trusted_browser"

// trustedHere reports whether the browser need not give the second factor: the
// account trusts it, and the first proof is a password or a provider.
//
// Three sign-ins ask for the factor all the same. A proof by email never stands
// alone. Joining a provider changes how the account is signed in to. And who has a
// session already signs in again to prove more than that session does.
func (f *core) trustedHere(ctx context.Context, tx Tx, c Caller, e entry) (bool, error) {
	byOwner := len(e.methods) == 1 && (e.methods[0] == "password" || strings.HasPrefix(e.methods[0], byProvider))
	if !f.settings.Trust || c.Trust == "" || !byOwner || e.joinFlow != "" {
		return false, nil
	}
	found, err := f.sessions.Peek(ctx, tx, c.Session)
	if err == nil && found.User.ID == e.account.ID {
		return false, nil
	}
	if err != nil && !errors.Is(err, session.Required) {
		return false, err
	}
	fingerprint, err := f.fingerprint(ctx, tx, e.account.Account)
	if err != nil {
		return false, err
	}
	return f.trusts.Use(ctx, tx, e.account.ID, fingerprint, c.Trust)
}

// fingerprint returns the fingerprint of everything that an account is signed in to with. The
// credential version stands for the password and the state. Recovery codes are left
// out, because each use changes them: MakeCodes ends the trust itself. So does the
// removal of one app or passkey, after which an account may have a former fingerprint again.
func (f *core) fingerprint(ctx context.Context, tx Tx, a account.Account) ([]byte, error) {
	credentials := []string{"version " + version(a), "address " + a.Address.Key}
	factors, err := tx.FactorsOf(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	for _, each := range factors {
		credentials = append(credentials, "factor "+each.ID)
	}
	passkeys, err := tx.PasskeysOf(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	for _, each := range passkeys {
		credentials = append(credentials, "passkey "+each.ID)
	}
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	for _, each := range linked {
		credentials = append(credentials, "identity "+each.Issuer+" "+each.Subject)
	}
	return trust.Fingerprint(credentials), err
}

// trustBrowser trusts the caller's browser, and tells the owner. It returns the new
// trust cookie.
func (f *core) trustBrowser(ctx context.Context, tx Tx, c Caller, a judged) (cookie string, err error) {
	if !f.settings.Trust {
		return "", nil // switched off since the page was shown
	}
	fingerprint, err := f.fingerprint(ctx, tx, a.Account)
	if err != nil {
		return "", err
	}
	if cookie, err = f.trusts.Give(ctx, tx, a.ID, fingerprint, c.Agent, c.Trust); err != nil {
		return "", err
	}
	return cookie, f.note(ctx, tx, c, a.Account, audit.BrowserTrusted, "", mailTrusted)
}

// TrustedBrowsers returns the browsers that an account trusts, the last used first.
func (f *reader) TrustedBrowsers(ctx context.Context, accountID string) ([]trust.Browser, error) {
	return read(ctx, f.store, func(tx Tx) ([]trust.Browser, error) { return f.trustedBrowsers(ctx, tx, accountID) })
}

func (f *core) trustedBrowsers(ctx context.Context, tx Tx, accountID string) ([]trust.Browser, error) {
	a, ok, err := tx.AccountByID(ctx, accountID)
	if err != nil || !ok {
		return nil, err
	}
	fingerprint, err := f.fingerprint(ctx, tx, a)
	if err != nil {
		return nil, err
	}
	return f.trusts.List(ctx, tx, a.ID, fingerprint)
}

// EndTrust ends the trust of the signed-in user in one browser, or in all for an
// empty id, and notifies the owner. It succeeds when there was none. It needs no recent
// proof, because it only takes away.
//
// Faults: session.Required.
func (f *Owner) EndTrust(ctx context.Context, c Caller, found session.Found, id string) error {
	if id != "" && !ids.Valid(id) {
		return nil
	}
	return f.own(ctx, found, func(tx Tx, a judged) error {
		_, err := f.endTrust(ctx, tx, c, a.Account, id, fact(c, audit.TrustEnded, a.ID, ""))
		return err
	})
}

// dropTrust ends the trust in all browsers. It tells nobody: the change that it belongs to does.
func (f *core) dropTrust(ctx context.Context, tx Tx, accountID string) error {
	_, err := f.trusts.End(ctx, tx, accountID, nil, "")
	return err
}

func (f *core) endTrust(ctx context.Context, tx Tx, c Caller, a account.Account, id string, change audit.Fact) (ended int, err error) {
	fingerprint, err := f.fingerprint(ctx, tx, a)
	if err != nil {
		return 0, err
	}
	if ended, err = f.trusts.End(ctx, tx, a.ID, fingerprint, id); err != nil || ended == 0 {
		return 0, err
	}
	if id == "" {
		change.Detail = "all"
	}
	return ended, f.report(ctx, tx, c, a, change)
}

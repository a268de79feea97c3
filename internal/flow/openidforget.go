package flow

import (
	"context"

	"portico/internal/audit"
	"portico/internal/openid"
)

// ClientUse counts what an OpenID client has got from users.
type ClientUse struct {
	Users    int
	Grants   int // whose code was redeemed
	Consents int
}

// ClientUsers returns how many users an OpenID client knows. The client need not be in the
// settings.
func (f *Operator) ClientUsers(ctx context.Context, clientID string) (n int, err error) {
	err = f.eachHolder(ctx, clientID, func(string) error { n++; return nil })
	return n, err
}

// ForgetClient ends what an OpenID client has got from all users, one transaction for each,
// so that a second call continues after an interruption. It returns what it has ended.
func (f *Operator) ForgetClient(ctx context.Context, by Actor, clientID string) (use ClientUse, err error) {
	err = f.eachHolder(ctx, clientID, func(accountID string) error {
		record := by.fact(audit.ConsentRevoked, accountID)
		record.Detail = clientID
		var gone openid.Forgotten
		err := f.store.Write(ctx, func(tx Tx) (err error) {
			gone, err = f.forgetApp(ctx, tx, clientID, record)
			return err
		})
		f.sessions.Forget(accountID)
		if err != nil {
			return err
		}
		use.Users++
		use.Grants += gone.Grants
		if gone.Consent {
			use.Consents++
		}
		return nil
	})
	return use, err
}

// eachHolder calls do with each account that a client knows.
func (f *Operator) eachHolder(ctx context.Context, clientID string, do func(accountID string) error) error {
	for after := ""; ; {
		var ids []string
		var last string
		err := f.store.Read(ctx, func(tx Tx) (err error) {
			ids, last, err = f.grants.Holders(ctx, tx, clientID, after)
			return err
		})
		if err != nil || last == "" {
			return err
		}
		after = last
		for _, id := range ids {
			if err := do(id); err != nil {
				return err
			}
		}
	}
}

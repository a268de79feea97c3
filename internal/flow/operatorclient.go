package flow

import (
	"context"
	"time"

	"portico/internal/audit"
	"portico/internal/openid"
)

// ClientUse counts what an OpenID client has obtained from users.
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

// ForgetClient ends what an OpenID client has obtained from all users, one transaction for each,
// so that a second call continues after an interruption. It returns what it has ended.
func (f *Operator) ForgetClient(ctx context.Context, by Actor, clientID string) (use ClientUse, err error) {
	err = f.eachHolder(ctx, clientID, func(accountID string) error {
		record := by.fact(audit.ConsentRevoked, accountID, clientID)
		var gone openid.Forgotten
		err := f.acts(ctx, by, func(tx Tx) (err error) {
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

// AllowRegistrations makes a token by which so many clients may register within a time, and
// returns its text.
func (f *Operator) AllowRegistrations(ctx context.Context, by Actor, uses int64, life time.Duration) (text string, t openid.InitialToken, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		if text, t, err = f.grants.AllowRegistrations(ctx, tx, uses, life); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.RegistrationAllowed, "", t.ID))
	})
	return text, t, err
}

// InitialTokens returns the tokens by which clients may register, the oldest first.
func (f *Operator) InitialTokens(ctx context.Context) ([]openid.InitialToken, error) {
	return read(ctx, f.store, func(tx Tx) ([]openid.InitialToken, error) { return tx.InitialTokens(ctx, f.clock.Now()) })
}

// EndInitialToken deletes a token by which clients may register, and reports whether there
// was one.
func (f *Operator) EndInitialToken(ctx context.Context, by Actor, id string) (there bool, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		if there, err = tx.DeleteInitialToken(ctx, id); err != nil || !there {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.RegistrationWithdrawn, "", id))
	})
	return there, err
}

// Registered returns the clients that have registered themselves, the oldest first.
func (f *Operator) Registered(ctx context.Context) ([]openid.Registered, error) {
	return read(ctx, f.store, func(tx Tx) ([]openid.Registered, error) { return tx.RegisteredList(ctx, f.clock.Now()) })
}

// RegisteredByID returns a client that has registered itself, or false.
func (f *Operator) RegisteredByID(ctx context.Context, id string) (r openid.Registered, ok bool, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		r, ok, err = tx.RegisteredByID(ctx, id, f.clock.Now())
		return err
	})
	return r, ok, err
}

// DeleteRegistered ends a client that has registered itself, and reports whether there
// was one. All of its tokens end. Users see it until ForgetEnded.
func (f *Operator) DeleteRegistered(ctx context.Context, by Actor, id string) (there bool, err error) {
	err = f.acts(ctx, by, func(tx Tx) error {
		if there, err = tx.EndRegistered(ctx, id, f.clock.Now()); err != nil || !there {
			return err
		}
		return f.record.Add(ctx, tx, by.fact(audit.RegistrationEnded, "", id))
	})
	return there, err
}

// ForgetEnded is ForgetClient for a client that had registered itself and has ended, however that was. Then it deletes
// the client, so that a second call continues after an interruption.
func (f *Operator) ForgetEnded(ctx context.Context, id string) error {
	if _, err := f.ForgetClient(ctx, ByOperator, id); err != nil {
		return err
	}
	return f.store.Write(ctx, func(tx Tx) error { return tx.DeleteRegistered(ctx, id, f.clock.Now()) })
}

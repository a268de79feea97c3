package flow

import (
	"context"

	"portico/internal/account"
)

// Summary counts what an account has. TrustedBrowsers has the trusted browsers, because
// which of them count depends on all credentials.
func (f *Owner) Summary(ctx context.Context, accountID string) (s account.Summary, err error) {
	now := f.clock.Now()
	idle := f.sessions.IdleEnd(now).Sub(now)
	err = f.store.Read(ctx, func(tx Tx) error {
		s, err = tx.SummaryOf(ctx, accountID, now, now.Add(-idle))
		return err
	})
	return s, err
}

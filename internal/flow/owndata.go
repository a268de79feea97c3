package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/session"
	"portico/internal/throttle"
)

// Data returns everything that is stored about the signed-in user, without
// secrets. It is recorded, and the owner gets an email.
//
// Faults: ProofNeeded, Alarmed, session.Required, throttle.Limited.
func (f *Owner) Data(ctx context.Context, c Caller, found session.Found) (tables []account.Rows, err error) {
	if err := f.Fresh(ctx, found); err != nil {
		return nil, err
	}
	if err := f.mayChange(ctx, found.User.ID); err != nil { // before a download of the day is used up
		return nil, err
	}
	if err := f.count(ctx, throttle.Attempt{Limit: dataDay, Subject: found.User.ID}); err != nil {
		return nil, err
	}
	// The rows are read outside the transaction, because other writes wait for it.
	err = f.store.Read(ctx, func(tx Tx) error {
		owner, ok, err := tx.AccountByID(ctx, found.User.ID)
		if err != nil || !ok {
			return err
		}
		tables, err = tx.AccountData(ctx, owner, f.clock.Now())
		return err
	})
	if err != nil {
		return nil, err
	}
	return tables, f.guarded(ctx, found, func(tx Tx, owner cleared) error {
		return f.note(ctx, tx, c, owner.Account, audit.DataDownloaded, "", mailData)
	})
}

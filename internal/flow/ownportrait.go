package flow

import (
	"context"
	"errors"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/picture"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/throttle"
)

// The details of the audit records about pictures.
const (
	portraitGiven   = "given"
	portraitRemoved = "removed"
)

// EnterPortrait takes the place of an account until leave is called, or returns DrawingBusy.
// A handler calls it before it reads the file, which its caller may send slowly.
func (f *Owner) EnterPortrait(accountID string) (leave func(), err error) {
	leave, ok := f.drawing.room.enter(accountID)
	if !ok {
		return nil, DrawingBusy
	}
	return leave, nil
}

// SetPortrait draws the picture that the signed-in user gives again, and stores it
// under a new address. It is recorded and emailed, and clients see it from the next
// request. The account has entered.
//
// Faults: PortraitUnusable, session.Required, throttle.Limited.
func (f *Owner) SetPortrait(ctx context.Context, c Caller, found session.Found, data []byte) error {
	drawn, err := f.draw(ctx, found.User.ID, data)
	if err != nil {
		return err
	}
	id := secret.Token()
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		err := tx.SavePortrait(ctx, account.Portrait{AccountID: owner.ID, ID: id, Image: drawn, ChangedAt: f.clock.Now()})
		if err != nil {
			return err
		}
		return f.portraitChanged(ctx, tx, c, fact(c, audit.PortraitChanged, owner.ID, portraitGiven), email{template: mailPortrait, owner: &owner.Account})
	})
}

// portraitChanged records a change, notifies the owner, and makes every node read the
// account again.
func (f *core) portraitChanged(ctx context.Context, tx Tx, c Caller, change audit.Fact, mail email) error {
	if err := f.sessions.Changed(ctx, tx, change.AccountID); err != nil {
		return err
	}
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	return f.post(ctx, tx, c, mail)
}

// draw counts and draws the portrait that an account gives.
func (f *Owner) draw(ctx context.Context, accountID string, data []byte) ([]byte, error) {
	if err := f.count(ctx, throttle.Attempt{Limit: portraitDay, Subject: accountID}); err != nil {
		return nil, err
	}
	drawn, err := f.drawing.draw(ctx, data)
	if errors.Is(err, picture.ErrUnusable) {
		err = PortraitUnusable
	}
	return drawn, err
}

// RemovePortrait removes the picture of the signed-in user. It is recorded and emailed.
func (f *Owner) RemovePortrait(ctx context.Context, c Caller, found session.Found) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		removed, err := tx.DeletePortrait(ctx, owner.ID)
		if err != nil || !removed {
			return err
		}
		return f.portraitChanged(ctx, tx, c, fact(c, audit.PortraitChanged, owner.ID, portraitRemoved), email{template: mailPortrait, owner: &owner.Account})
	})
}

// Portrait returns a picture by its id. It returns Unknown for none.
func (f *Owner) Portrait(ctx context.Context, id string) (image []byte, err error) {
	if !secret.ValidToken(id) {
		return nil, Unknown
	}
	err = f.store.Read(ctx, func(tx Tx) error {
		found, ok, err := tx.PortraitImage(ctx, id)
		if err == nil && !ok {
			err = Unknown
		}
		image = found
		return err
	})
	return image, err
}

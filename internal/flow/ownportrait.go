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

// SetPortrait draws the picture that the signed-in user gives again, and stores it
// under a new address. It is recorded, and clients see it from the next request.
//
// Faults: PortraitUnusable, DrawingBusy, session.Required, throttle.Limited.
func (f *Flows) SetPortrait(ctx context.Context, c Caller, found session.Found, given []byte) error {
	if _, err := f.count(ctx, throttle.Attempt{Limit: portraitDay, Subject: found.User.ID}); err != nil {
		return err
	}
	drawn, err := f.drawing.draw(ctx, given)
	if errors.Is(err, picture.ErrUnusable) {
		return PortraitUnusable
	}
	if err != nil {
		return err
	}
	id := secret.Token()
	return f.own(ctx, found, func(tx Tx, owner account.Account) error {
		err := tx.SavePortrait(ctx, account.Portrait{AccountID: owner.ID, ID: id, Image: drawn, ChangedAt: f.clock.Now()})
		if err != nil {
			return err
		}
		return f.portraitChanged(ctx, tx, c, owner.ID, "given")
	})
}

// portraitChanged records a change, and makes every node read the account again.
func (f *Flows) portraitChanged(ctx context.Context, tx Tx, c Caller, accountID, how string) error {
	if err := f.sessions.Changed(ctx, tx, accountID); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.PortraitChanged, accountID, how))
}

// RemovePortrait removes the picture of the signed-in user. It is recorded.
func (f *Flows) RemovePortrait(ctx context.Context, c Caller, found session.Found) error {
	return f.own(ctx, found, func(tx Tx, owner account.Account) error {
		removed, err := tx.DeletePortrait(ctx, owner.ID)
		if err != nil || !removed {
			return err
		}
		return f.portraitChanged(ctx, tx, c, owner.ID, "removed")
	})
}

// PortraitID returns the id of the picture of an account, "" for none.
func (f *Flows) PortraitID(ctx context.Context, accountID string) (id string, err error) {
	err = f.store.Read(ctx, func(tx Tx) error {
		id, err = tx.PortraitID(ctx, accountID)
		return err
	})
	return id, err
}

// Portrait returns a picture by its id. It returns Unknown for none.
func (f *Flows) Portrait(ctx context.Context, id string) (image []byte, err error) {
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

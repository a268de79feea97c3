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

// SetPortrait draws the picture that the signed-in user gives again, and stores it
// under a new address. It is recorded, and clients see it from the next request.
//
// Faults: PortraitUnusable, DrawingBusy, session.Required, throttle.Limited.
func (f *Flows) SetPortrait(ctx context.Context, c Caller, found session.Found, given []byte) error {
	drawn, err := f.draw(ctx, found.User.ID, given)
	if err != nil {
		return err
	}
	id := secret.Token()
	return f.own(ctx, found, func(tx Tx, owner account.Account) error {
		err := tx.SavePortrait(ctx, account.Portrait{AccountID: owner.ID, ID: id, Image: drawn, ChangedAt: f.clock.Now()})
		if err != nil {
			return err
		}
		return f.portraitChanged(ctx, tx, fact(c, audit.PortraitChanged, owner.ID, portraitGiven))
	})
}

// portraitChanged records a change, and makes every node read the account again.
func (f *Flows) portraitChanged(ctx context.Context, tx Tx, change audit.Fact) error {
	if err := f.sessions.Changed(ctx, tx, change.AccountID); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, change)
}

// draw draws the portrait that an account gives. It counts the attempt, unless too
// many others wait.
func (f *Flows) draw(ctx context.Context, accountID string, given []byte) ([]byte, error) {
	leave, err := f.drawing.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	if _, err := f.count(ctx, throttle.Attempt{Limit: portraitDay, Subject: accountID}); err != nil {
		return nil, err
	}
	drawn, err := f.drawing.draw(ctx, given)
	if errors.Is(err, picture.ErrUnusable) {
		err = PortraitUnusable
	}
	return drawn, err
}

// RemovePortrait removes the picture of the signed-in user. It is recorded.
func (f *Flows) RemovePortrait(ctx context.Context, c Caller, found session.Found) error {
	return f.own(ctx, found, func(tx Tx, owner account.Account) error {
		removed, err := tx.DeletePortrait(ctx, owner.ID)
		if err != nil || !removed {
			return err
		}
		return f.portraitChanged(ctx, tx, fact(c, audit.PortraitChanged, owner.ID, portraitRemoved))
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

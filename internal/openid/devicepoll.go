package openid

import (
	"context"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
)

// GrantDevice is the grant of devices, in the words of the standard.
const GrantDevice = "urn:ietf:params:oauth:grant-type:device_code"

// DeviceOf returns the device with a code, and the grant that its user has given it, or an
// Error. waits says that the user has not answered yet: then there is no grant, and
// PollDevice has the Error. A device that asks too soon gets that Error at once.
func (k *Keeper) DeviceOf(ctx context.Context, store Store, client Client, code string, in Redemption) (l Live, d Device, waits bool, err error) {
	if !client.Device {
		return Live{}, Device{}, false, mayNotUse(GrantDevice, "device_code")
	}
	if code == "" {
		return Live{}, Device{}, false, invalidRequest("device_code is missing")
	}
	if !secret.ValidToken(code) {
		return Live{}, Device{}, false, invalidGrant("the device_code is not whole, or was not issued by this server")
	}
	d, ok, err := store.DeviceByHash(ctx, secret.Hash(code))
	switch {
	case err != nil:
		return Live{}, Device{}, false, err
	case !ok || d.ClientID != client.ID:
		return Live{}, Device{}, false, invalidGrant("no device is waiting with this device_code")
	case !clock.Valid(d.ExpiresAt, DeviceLife, k.clock.Now()):
		return Live{}, Device{}, false, &Error{"expired_token", "the user did not answer in time"}
	case !d.DeniedAt.IsZero():
		return Live{}, Device{}, false, &Error{"access_denied", "the user refused, or may not use this client"}
	case d.GrantID == "" && d.PolledAt.After(rest(k.clock.Now())):
		return Live{}, Device{}, false, slowDown()
	case d.GrantID == "":
		return Live{}, d, true, nil
	}
	l, why, err := k.live(ctx, store, d.GrantID, client.ID)
	if err == nil && why != "" {
		err = invalidGrant(why)
	}
	if err == nil && l.Grant.RedeemedAt.IsZero() { // a code that is used again is refused for that
		err = client.mayUse(l.Grant, in.Key)
	}
	if err == nil {
		_, err = resources(in.Resources, l.Grant.Resources)
	}
	return l, d, false, err
}

// PollDevice returns the Error for a device whose user has not answered yet, and stores
// that it has asked.
func (k *Keeper) PollDevice(ctx context.Context, tx DeviceStore, d Device) (answer *Error, err error) {
	now := k.clock.Now()
	rested, err := tx.PollDevice(ctx, d.Hash, now, rest(now))
	if err == nil && !rested {
		return slowDown(), nil
	}
	return &Error{"authorization_pending", "the user has not answered yet"}, err
}

// rest returns the time after which a device that asks now must not have asked before.
func rest(now time.Time) time.Time { return now.Add(pauseSlack - DevicePause) }

func slowDown() *Error {
	return &Error{"slow_down", "ask every 5 seconds, and after each slow_down wait 5 seconds longer"}
}

// RedeemDevice gives a device its tokens. One of several callers gets them, the others
// an Error; the grant goes on.
func (k *Keeper) RedeemDevice(ctx context.Context, tx Store, client Client, l Live, d Device, in Redemption) (Tokens, error) {
	first, err := tx.UseDevice(ctx, d.Hash, k.clock.Now())
	if err != nil {
		return Tokens{}, err
	}
	if !first {
		return Tokens{}, invalidGrant("the device_code was used before")
	}
	t, _, err := k.Redeem(ctx, tx, client, l, in)
	return t, err
}

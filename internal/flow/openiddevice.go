package flow

import (
	"context"

	"portico/internal/assertion"
	"portico/internal/audit"
	"portico/internal/openid"
	"portico/internal/session"
	"portico/internal/throttle"
)

// BeginDevice lets a device of a client wait for its user. Its errors include
// openid.Error.
//
// Faults: throttle.Limited, for a public client: anybody can be one.
func (f *OpenID) BeginDevice(ctx context.Context, c Caller, client openid.Client, scopes string, resources []string) (codes openid.DeviceCodes, err error) {
	if client.Public {
		if err := f.count(ctx, fromNetwork(devicePeer, c)...); err != nil {
			return openid.DeviceCodes{}, err
		}
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		codes, err = f.grants.BeginDevice(ctx, tx, client, scopes, resources)
		return err
	})
	return codes, err
}

// Device returns the device that waits with a code which the signed-in user has typed,
// and its client. Only wrong codes count in the end.
//
// Faults: openid.DeviceUnknown, throttle.Limited.
func (f *OpenID) Device(ctx context.Context, c Caller, found session.Found, typed string) (d openid.Device, client openid.Client, err error) {
	attempts := append(fromNetwork(deviceCodePeer, c), throttle.Attempt{Limit: deviceCode, Subject: found.User.ID})
	if err := f.count(ctx, attempts...); err != nil {
		return openid.Device{}, openid.Client{}, err
	}
	err = f.store.Write(ctx, func(tx Tx) error {
		if d, err = f.grants.WaitingDevice(ctx, tx, typed); err != nil {
			return err
		}
		return f.limiter.Return(ctx, tx, attempts...)
	})
	if err != nil {
		return openid.Device{}, openid.Client{}, err
	}
	client, known := f.clients.Get(d.ClientID)
	if !known {
		return openid.Device{}, openid.Client{}, openid.DeviceUnknown
	}
	return d, client, nil
}

// AllowDevice lets a device have what it asks for, in the session of the user.
//
// Faults: openid.DeviceUnknown, session.Required, rule.RoleMissing.
func (f *OpenID) AllowDevice(ctx context.Context, c Caller, found session.Found, client openid.Client, d openid.Device) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		if err := f.admitted(client, found, owner); err != nil {
			return err
		}
		if err := f.agree(ctx, tx, c, client, owner.ID, d.Asks(), true); err != nil {
			return err
		}
		if err := f.grants.AllowDevice(ctx, tx, client, d, signedIn(found.Session)); err != nil {
			return err
		}
		return f.record.Add(ctx, tx, fact(c, audit.ClientAuthorized, owner.ID, client.ID))
	})
}

// DenyDevice refuses a device.
//
// Faults: openid.DeviceUnknown, session.Required.
func (f *OpenID) DenyDevice(ctx context.Context, found session.Found, d openid.Device) error {
	return f.own(ctx, found, func(tx Tx, _ judged) error { return f.grants.DenyDevice(ctx, tx, d) })
}

// RedeemDevice exchanges the code of a device for tokens. Its errors include
// openid.Error, which also says that the user has not answered yet. proof is as for
// RedeemCode.
func (f *OpenID) RedeemDevice(ctx context.Context, c Caller, client openid.Client, code string, resources []string, proof assertion.KeyProof) (t openid.Tokens, err error) {
	in := openid.Redemption{Resources: resources, Key: proof.Key}
	var l openid.Live
	var d openid.Device
	var waits bool
	find := func(tx Tx) (err error) {
		if l, d, waits, err = f.grants.DeviceOf(ctx, tx, client, code, in); err != nil || waits {
			return err
		}
		return f.grants.StillAllowed(ctx, tx, client, l)
	}
	if err := f.store.Read(ctx, find); err != nil {
		return openid.Tokens{}, err
	}
	if waits {
		return openid.Tokens{}, f.pollDevice(ctx, d)
	}
	return f.exchange(ctx, c, client, proof, "device", func(tx Tx) (openid.Tokens, bool, error) {
		if err := find(tx); err != nil {
			return openid.Tokens{}, false, err
		}
		t, err := f.grants.RedeemDevice(ctx, tx, client, l, d, in)
		return t, false, err
	})
}

// pollDevice returns the openid.Error for a device that waits. The transaction commits
// even when it returns one.
func (f *OpenID) pollDevice(ctx context.Context, d openid.Device) error {
	var answer *openid.Error
	err := f.store.Write(ctx, func(tx Tx) (err error) {
		answer, err = f.grants.PollDevice(ctx, tx, d)
		return err
	})
	if err != nil {
		return err
	}
	return answer
}

package openid

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/legible"
	"portico/internal/secret"
)

const (
	// DeviceLife is how long a user may take to answer for a device.
	DeviceLife = 10 * time.Minute

	// DevicePause is how long a device waits before it asks again. It is not refused
	// when it asks pauseSlack earlier, because networks are not even.
	DevicePause = 5 * time.Second
	pauseSlack  = time.Second

	// userLetters are the letters of user codes: no vowels, so that they form no words,
	// and nothing that looks like another one (RFC 8628 6.1).
	userLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userLength  = 8

	kindUserCode = "user code"
)

// Device is a device that waits for its user to sign in elsewhere (RFC 8628).
type Device struct {
	Hash      []byte // hash of its code
	UserHash  []byte // keyed, of the code that the user types
	ClientID  string
	Scopes    []string
	Resources []string
	ExpiresAt time.Time
	PolledAt  time.Time // when it last asked
	GrantID   string    // "" until the user has agreed
	DeniedAt  time.Time
}

// DeviceStore has the operations of the database for devices that wait.
type DeviceStore interface {
	// InsertDevice reports false if a device with the same user code waits.
	InsertDevice(ctx context.Context, d Device) (bool, error)
	// DeviceByHash and DeviceByUserHash do not look at the time.
	DeviceByHash(ctx context.Context, hash []byte) (Device, bool, error)
	DeviceByUserHash(ctx context.Context, hash []byte) (Device, bool, error)
	// PollDevice stores that a device asks now, and reports false if it last asked after
	// the time after.
	PollDevice(ctx context.Context, hash []byte, now, after time.Time) (bool, error)
	// AnswerDevice stores the answer of the user, "" for no, and reports whether it is
	// the first one, in time.
	AnswerDevice(ctx context.Context, hash []byte, grantID string, now time.Time) (bool, error)
	// UseDevice deletes a device that may have tokens, and reports whether it was still
	// there, in time.
	UseDevice(ctx context.Context, hash []byte, now time.Time) (bool, error)
}

// DeviceCodes are what a device gets when it begins.
type DeviceCodes struct {
	Device string
	User   string // for the user to type, as "WDJB-MJHT"
}

// BeginDevice lets a device of a client wait for its user. The device asks for the scopes,
// and for the resources in asked.
func (k *Keeper) BeginDevice(ctx context.Context, tx DeviceStore, client Client, scopes string, asked []string) (DeviceCodes, error) {
	if !client.Device {
		return DeviceCodes{}, mayNotUse(GrantDevice, "device_code")
	}
	d := Device{ClientID: client.ID, ExpiresAt: k.clock.Now().Add(DeviceLife)}
	var err error
	if d.Scopes, err = client.granted(scopes); err != nil {
		return DeviceCodes{}, err
	}
	if d.Resources, err = resources(asked, client.Resources); err != nil {
		return DeviceCodes{}, err
	}
	for range 3 { // another device has the same code once in a hundred million times
		codes := DeviceCodes{secret.Token(), userCode()}
		d.Hash, d.UserHash = secret.Hash(codes.Device), k.mac.Sum(kindUserCode, codes.User)
		if first, err := tx.InsertDevice(ctx, d); err != nil || first {
			return codes, err
		}
	}
	return DeviceCodes{}, errors.New("three user codes in a row were already in use")
}

// userCode returns random letters, in two groups. Each is as likely as any other.
func userCode() string {
	text := make([]byte, 0, userLength)
	for len(text) < userLength {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails
		if n := len(userLetters); int(b[0]) < 256/n*n {
			text = append(text, userLetters[int(b[0])%n])
		}
	}
	return string(text[:4]) + "-" + string(text[4:])
}

// ReadUserCode returns a code as BeginDevice writes it, or false. It ignores letter case,
// spaces and hyphens.
func ReadUserCode(typed string) (string, bool) {
	var letters []rune
	for _, r := range strings.ToUpper(legible.Trim(typed)) {
		switch {
		case strings.ContainsRune(userLetters, r):
			letters = append(letters, r)
		case strings.ContainsRune(" -\u00a0\u2010\u2011\u2013\t\r\n", r):
		default:
			return "", false
		}
		if len(letters) > userLength {
			return "", false
		}
	}
	if len(letters) != userLength {
		return "", false
	}
	return string(letters[:4]) + "-" + string(letters[4:]), true
}

// WaitingDevice returns the device that waits with a user code, or DeviceUnknown. It
// counts no attempt.
func (k *Keeper) WaitingDevice(ctx context.Context, store DeviceStore, typed string) (Device, error) {
	code, ok := ReadUserCode(typed)
	if !ok {
		return Device{}, DeviceUnknown
	}
	for _, hash := range k.mac.Sums(kindUserCode, code) {
		d, found, err := store.DeviceByUserHash(ctx, hash)
		if err != nil {
			return Device{}, err
		}
		if found && clock.Valid(d.ExpiresAt, DeviceLife, k.clock.Now()) && d.GrantID == "" && d.DeniedAt.IsZero() {
			return d, nil
		}
	}
	return Device{}, DeviceUnknown
}

// AllowDevice grants a waiting device what it asks for, or returns DeviceUnknown.
func (k *Keeper) AllowDevice(ctx context.Context, tx Store, client Client, d Device, by SignIn) error {
	r := Request{Client: client, Scopes: d.Scopes, Resources: d.Resources}
	id, err := k.grant(ctx, tx, r, by, d.ExpiresAt)
	if err != nil {
		return err
	}
	return k.answer(ctx, tx, d, id)
}

// DenyDevice refuses a waiting device, or returns DeviceUnknown.
func (k *Keeper) DenyDevice(ctx context.Context, tx DeviceStore, d Device) error {
	return k.answer(ctx, tx, d, "")
}

func (k *Keeper) answer(ctx context.Context, tx DeviceStore, d Device, grantID string) error {
	first, err := tx.AnswerDevice(ctx, d.Hash, grantID, k.clock.Now())
	if err == nil && !first {
		return DeviceUnknown
	}
	return err
}

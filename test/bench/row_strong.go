package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/factor"
	"portico/internal/ids"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/secret"
	"portico/internal/store"
)

// strong signs users in with passkeys, and gives codes of authenticator apps for
// sessions. The limit is a sign-in with a password in the same turns.
func strong(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, max(5*b.small, fewest)+1) // of its own: other rows sign in without codes
	if err != nil {
		return nil, err
	}
	held, apps, err := i.strengthen(ctx)
	if err != nil {
		return nil, err
	}
	server, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	all, err := interleave(ctx, b.rounds,
		b.signers(server, i.listen, i.byPasskey(held)), b.signers(server, i.listen, i.secondSteps(apps)), b.signers(server, i.listen, i.comeBack()))
	if err != nil {
		return nil, err
	}
	by := func(name string, product int) figure {
		f := costAgainst("a sign-in with a password", all[product], all[2])
		f.name, f.aim = name+", "+f.name, 0.25
		return f
	}
	return []figure{by("passkey", 0), by("code of an app", 1)}, nil
}

// fewest accounts are enough for turns of a tenth of a second: a code works once, and
// two cores take 5,000 a second.
const fewest = 3000

// holder is the owner of a passkey in a known browser.
type holder struct {
	*passkeytest.Authenticator
	browser string
	device  atomic.Pointer[string]
}

// strengthen gives passkeys to some accounts, and an authenticator app to each
// other account, except the first ones, which come back with their passwords.
func (i *installation) strengthen(ctx context.Context) (held []*holder, apps []factor.Secret, err error) {
	key, err := secret.ReadKey(i.keyFile())
	if err != nil {
		return nil, nil, err
	}
	s, err := i.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	public, err := url.Parse(publicURL)
	if err != nil {
		return nil, nil, err
	}
	passkeys, err := passkey.NewKeeper(passkey.Config{Key: key, Clock: clock.System{}, Public: public, Site: "bench"})
	if err != nil {
		return nil, nil, err
	}
	for n := returning; n < 2*returning; n++ {
		a, p, err := made(passkeys, accountID(n))
		if err != nil {
			return nil, nil, err
		}
		err = s.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.InsertPasskey(ctx, p)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		held = append(held, &holder{Authenticator: a, browser: secret.Token()})
	}
	apps, err = i.giveApps(ctx, s, factor.NewKeeper(key, clock.System{}))
	return held, apps, err
}

// atOnce is how many apps one transaction adds: the store limits its time.
const atOnce = 200

func (i *installation) giveApps(ctx context.Context, s *store.Store, factors *factor.Keeper) (apps []factor.Secret, err error) {
	for len(apps) < i.people-2*returning {
		first, added := 2*returning+len(apps), []factor.Secret(nil)
		err := s.Write(ctx, func(tx *store.Tx) error {
			added = nil
			for n := first; n < min(first+atOnce, i.people); n++ {
				app := factor.NewSecret()
				if _, err := factors.Add(ctx, tx, accountID(n), app, app.At(time.Now())); err != nil {
					return err
				}
				added = append(added, app)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		apps = append(apps, added...)
	}
	return apps, nil
}

// made returns a new passkey of an account, with its authenticator.
func made(k *passkey.Keeper, accountID string) (*passkeytest.Authenticator, passkey.Passkey, error) {
	a := passkeytest.New(publicHost, publicURL, k.Handle(accountID, nil))
	c, err := passkey.ParseCreation(a.Create(k.Challenge(passkey.Add, secret.Token(), "")))
	if err != nil {
		return nil, passkey.Passkey{}, err
	}
	p, err := k.Accept(c, passkey.Add, accountID, a.Handle)
	p.ID = ids.New()
	return a, p, err
}

// byPasskey asks for a challenge and answers it.
func (i *installation) byPasskey(held []*holder) work {
	var turn atomic.Int64
	return func(c *conn) (bool, error) {
		h := held[int(turn.Add(1))%len(held)]
		cookie := browserCookie + "=" + h.browser
		if device := h.device.Load(); device != nil {
			cookie += "; " + deviceCookie + "=" + *device
		}
		a, err := c.do(i.post("passkey/ask", cookie, map[string]string{}))
		if err != nil {
			return false, err
		}
		var ask struct {
			Challenge string `json:"challenge"`
		}
		if err := errors.Join(a.want(200), json.Unmarshal(a.body, &ask)); err != nil {
			return false, err
		}
		u := h.Use(ask.Challenge)
		a, err = c.do(i.post("passkey", cookie, map[string]string{
			"credential": u.Credential, "client_data": u.ClientData, "authenticator_data": u.AuthData, "signature": u.Signature, "user_handle": u.Handle,
		}))
		if err != nil {
			return false, err
		}
		h.device.Store(&a.device)
		return true, a.want(200)
	}
}

// secondSteps gives the code of an authenticator app for each session once, because a
// code works once.
func (i *installation) secondSteps(apps []factor.Secret) work {
	var given atomic.Int64
	return func(c *conn) (bool, error) {
		n := int(given.Add(1)) - 1
		if n >= len(apps) {
			return false, errEnough
		}
		// The code of the next half minute: the one of this may be used up.
		code := apps[n].At(time.Now().Add(30 * time.Second))
		a, err := c.do(i.post("mfa", sessionCookie+"="+token(n+2*returning), map[string]string{"code": code}))
		if err != nil {
			return false, err
		}
		return true, a.want(200)
	}
}

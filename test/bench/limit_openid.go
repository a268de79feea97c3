package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"sync/atomic"
	"time"

	"portico/internal/audit"
	"portico/internal/ids"
	"portico/internal/openid"
	"portico/internal/secret"
	"portico/internal/store"
)

// The pieces of work of the limit of OpenID.
const (
	leastFlow    = "flow"    // one signature; the grant and its audit record; the code as redeemed
	leastRefresh = "refresh" // one signature; the next generation of a grant
)

// signed is about as long as the header and the claims of an ID token.
const signed = 500

// openIDLimit signs and writes what the product signs and writes, and does nothing
// else: no HTTP, no reads, no checks. Its writes go through the product's store, where
// waiting writes share a commit as well.
func openIDLimit(ctx context.Context, args []string) (err error) {
	if len(args) != 2 {
		return errors.New("name the work and the URL of the database")
	}
	s, err := store.Open(ctx, store.Config{URL: args[1], MustExist: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	l := &provider{Store: s, key: key}
	if args[0] == leastFlow {
		return takeTurns(signers, func() error { return l.flow(ctx) })
	}
	given := make(chan grant, signers)
	for range signers {
		id, err := l.redeemed(ctx)
		if err != nil {
			return err
		}
		given <- grant{id, 0}
	}
	return takeTurns(signers, func() error {
		g := <-given
		defer func() { given <- grant{g.id, g.generation + 1} }()
		return l.refresh(ctx, g)
	})
}

// provider is an OpenID provider without HTTP.
type provider struct {
	*store.Store
	key  *ecdsa.PrivateKey
	turn atomic.Int64
}

type grant struct {
	id         string
	generation int64
}

func (p *provider) flow(ctx context.Context) error {
	if _, err := p.redeemed(ctx); err != nil {
		return err
	}
	return p.sign()
}

func (p *provider) refresh(ctx context.Context, g grant) error {
	err := p.change(ctx, func(tx *store.Tx) (bool, error) { return tx.RotateGrant(ctx, g.id, g.generation, "", time.Now()) })
	if err != nil {
		return err
	}
	return p.sign()
}

// redeemed stores a grant with the audit record of it, and then its code as redeemed.
func (p *provider) redeemed(ctx context.Context) (id string, err error) {
	now, n := time.Now(), int(p.turn.Add(1)%returning)
	g := openid.Grant{
		ID: ids.NewAt(now), ClientID: benchClient, AccountID: accountID(n), Version: 1, SessionID: sessionID(n), SID: secret.Token()[:22],
		Scopes: []string{"openid", "profile", "email"}, RedirectURI: benchReturn, Challenge: secret.Token(), Nonce: secret.Token(),
		Methods: []string{"password"}, SignedInAt: now, CreatedAt: now, ExpiresAt: now.Add(time.Minute),
	}
	err = p.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertGrant(ctx, g); err != nil {
			return err
		}
		return tx.InsertFact(ctx, audit.Fact{
			ID: ids.NewAt(now), At: now, Name: audit.ClientAuthorized, AccountID: g.AccountID, Actor: "self",
			Peer: "10.0.0.0", UserAgent: agent, RequestID: ids.New(), Detail: benchClient,
		})
	})
	if err != nil {
		return "", err
	}
	return g.ID, p.change(ctx, func(tx *store.Tx) (bool, error) {
		return tx.RedeemGrant(ctx, g.ID, "", now, now.Add(30*24*time.Hour))
	})
}

// change writes what must change exactly one row.
func (p *provider) change(ctx context.Context, fn func(*store.Tx) (bool, error)) error {
	return p.Write(ctx, func(tx *store.Tx) error {
		done, err := fn(tx)
		if err == nil && !done {
			err = errors.New("a write changed nothing")
		}
		return err
	})
}

func (p *provider) sign() error {
	sum := sha256.Sum256(make([]byte, signed))
	_, err := ecdsa.SignASN1(rand.Reader, p.key, sum[:])
	return err
}

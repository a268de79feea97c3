package storetest

import (
	"time"

	"portico/internal/clock"
	"portico/internal/openid"
	"portico/internal/store"
)

type pushes struct{ *bundle }

// push stores a request that expires in an hour.
func (b pushes) push(number int, change func(*openid.Pushed)) openid.Pushed {
	b.Helper()
	p := full[openid.Pushed](number)
	p.ExpiresAt = moment().Add(time.Hour)
	if change != nil {
		change(&p)
	}
	b.write(func(tx *store.Tx) error { return tx.InsertPushed(b.Context(), p) })
	return p
}

func (b pushes) find(hash []byte) (openid.Pushed, bool) {
	b.Helper()
	return find(b.bundle, func(tx *store.Tx) (openid.Pushed, bool, error) { return tx.PushedByHash(b.Context(), hash) })
}

func (b pushes) InsertPushed_EveryField() {
	p := b.push(1, nil)
	b.push(2, nil)
	got, ok := b.find(p.Hash)
	if !ok {
		b.Fatal("the request is not found")
	}
	b.equal("the request", got, p)
}

func (b pushes) PushedByHash_None() {
	if _, ok := b.find([]byte("none")); ok {
		b.Error("a request is found that was never pushed")
	}
}

func (b pushes) UsePushed_Once() {
	use := func(tx *store.Tx, hash []byte) (bool, error) { return tx.UsePushed(b.Context(), hash, moment()) }
	p, other := b.push(1, nil), b.push(2, nil)
	expired := b.push(3, func(p *openid.Pushed) { p.ExpiresAt = moment() })
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return use(tx, p.Hash) })
	for _, hash := range [][]byte{expired.Hash, []byte("none")} {
		if b.did(func(tx *store.Tx) (bool, error) { return use(tx, hash) }) {
			b.Errorf("the request %x is used", hash)
		}
	}
	if _, ok := b.find(p.Hash); ok {
		b.Error("a used request is still there")
	}
	if _, ok := b.find(other.Hash); !ok {
		b.Error("another request is gone")
	}
}

func (b pushes) Purge_RequestsThatHaveExpired() {
	edge := moment().Add(-clock.MaxSkew)
	gone := b.push(1, func(p *openid.Pushed) { p.ExpiresAt = edge.Add(-time.Microsecond) })
	kept := b.push(2, func(p *openid.Pushed) { p.ExpiresAt = edge.Add(time.Microsecond) })
	b.purge()
	_, goneThere := b.find(gone.Hash)
	_, keptThere := b.find(kept.Hash)
	if goneThere || !keptThere {
		b.Error("not the request that has expired, and that alone, is gone")
	}
}

func (b pushes) Rewind_Requests() {
	p := b.push(1, nil)
	rewinds(b).rewind(false)
	if _, ok := b.find(p.Hash); ok {
		b.Error("a request of a restored database can be used")
	}
}

package storetest

import (
	"bytes"
	"errors"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/job"
	"portico/internal/masterkey"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/signingkey"
	"portico/internal/store"
)

type masterkeys struct{ *bundle }

// sealed has one row at each place but the former keys, and returns their ids.
func (b masterkeys) sealed() map[masterkey.Place]masterkey.Row {
	b.Helper()
	f := b.factor(b.person(1).ID, 1)
	m, p, key := b.message(full[outbox.Record](2)), b.flow(full[flow.Pending](3)), full[signingkey.Key](4)
	b.insertKey(key)
	former, chain := full[masterkey.Former](5), full[audit.Chain](6)
	b.write(func(tx *store.Tx) error {
		return errors.Join(tx.SaveFormerKey(b.Context(), former), tx.BeginChain(b.Context(), chain))
	})
	part := full[job.Part](7)
	part.JobID = jobs(b).begun(7).ID
	b.write(func(tx *store.Tx) error { return tx.InsertPart(b.Context(), part) })
	return map[masterkey.Place]masterkey.Row{
		masterkey.Factors: {ID: f.ID, Context: f.ID + " " + f.AccountID, Sealed: f.Sealed}, masterkey.Outbox: {ID: m.ID, Context: m.ID, Sealed: m.Payload},
		masterkey.Flows: {ID: p.ID, Context: p.ID, Sealed: p.Sealed}, masterkey.SigningKeys: {ID: key.ID, Context: key.ID, Sealed: key.Sealed},
		masterkey.Formers: {ID: former.ID, Context: former.ID, Sealed: former.Pepper},
		masterkey.Chain:   {ID: "audit", Context: "audit", Sealed: chain.Sealed},
		masterkey.Parts:   {ID: part.ID, Context: part.ID, Sealed: part.Sealed},
	}
}

func (b masterkeys) rows(place masterkey.Place, after string, limit int) []masterkey.Row {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]masterkey.Row, error) {
		return tx.SealedRows(b.Context(), place, after, limit)
	})
}

func (b masterkeys) SealedRows_EveryPlace() {
	want := b.sealed()
	for _, place := range masterkey.Places() {
		b.equal("the rows of "+string(place), b.rows(place, "", 10), []masterkey.Row{want[place]})
		b.equal("the rows after it", b.rows(place, want[place].ID, 10), []masterkey.Row{})
	}
	b.fails("an unknown place", func(tx *store.Tx) error {
		_, err := tx.SealedRows(b.Context(), "session", "", 1)
		return err
	})
}

func (b masterkeys) SealedRows_InOrder() {
	var ids []string
	for _, id := range []string{"c", "a", "b", "d"} {
		b.write(func(tx *store.Tx) error {
			return tx.SaveFormerKey(b.Context(), masterkey.Former{ID: id, Pepper: []byte(id)})
		})
	}
	for _, r := range append(b.rows(masterkey.Formers, "", 2), b.rows(masterkey.Formers, "b", 2)...) {
		ids = append(ids, r.ID)
	}
	b.equal("the ids", ids, []string{"a", "b", "c", "d"})
}

func (b masterkeys) Reseal_WhatWasRead() {
	for place, row := range b.sealed() {
		try := func(id string, before []byte) bool {
			return b.did(func(tx *store.Tx) (bool, error) {
				return tx.Reseal(b.Context(), place, id, before, []byte{0, 1, 0xff})
			})
		}
		if try(row.ID, []byte("other")) || try("other", row.Sealed) || try(row.ID, nil) {
			b.Errorf("%s: a row that has something else was replaced", place)
		}
		if !try(row.ID, row.Sealed) || try(row.ID, row.Sealed) {
			b.Errorf("%s: the row was not replaced once", place)
		}
		if got := b.rows(place, "", 1); !bytes.Equal(got[0].Sealed, []byte{0, 1, 0xff}) || got[0].ID != row.ID {
			b.Errorf("%s: the row is %v", place, got)
		}
	}
	b.fails("an unknown place", func(tx *store.Tx) error {
		_, err := tx.Reseal(b.Context(), "session", "", nil, nil)
		return err
	})
}

func (b masterkeys) formers() []masterkey.Former {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]masterkey.Former, error) { return tx.FormerKeys(b.Context()) })
}

func (b masterkeys) FormerKeys_LatestFirst() {
	first, second := full[masterkey.Former](1), full[masterkey.Former](2)
	for _, f := range []masterkey.Former{first, second} {
		b.write(func(tx *store.Tx) error { return tx.SaveFormerKey(b.Context(), f) })
	}
	b.equal("the keys", b.formers(), []masterkey.Former{second, first})
}

func (b masterkeys) SaveFormerKey_Replaces() {
	f := full[masterkey.Former](1)
	f.DoneAt = time.Time{}
	b.write(func(tx *store.Tx) error { return tx.SaveFormerKey(b.Context(), f) })
	b.equal("the key", b.formers(), []masterkey.Former{f})
	f.DoneAt, f.Pepper = moment(), []byte("other")
	b.write(func(tx *store.Tx) error { return tx.SaveFormerKey(b.Context(), f) })
	b.equal("the key", b.formers(), []masterkey.Former{f})
}

func (b masterkeys) DeleteFormerKey_TheOne() {
	first, second := full[masterkey.Former](1), full[masterkey.Former](2)
	for _, f := range []masterkey.Former{first, second} {
		b.write(func(tx *store.Tx) error { return tx.SaveFormerKey(b.Context(), f) })
	}
	for range 2 {
		b.write(func(tx *store.Tx) error { return tx.DeleteFormerKey(b.Context(), first.ID) })
	}
	b.equal("the keys", b.formers(), []masterkey.Former{second})
}

func (b masterkeys) OwedToFormerKey_BeforeAndAlive() {
	p, g := b.flow(full[flow.Pending](1)), b.grant(2, nil)
	owed := func(before, now time.Time) masterkey.Owed {
		return result(b.bundle, func(tx *store.Tx) (masterkey.Owed, error) { return tx.OwedToFormerKey(b.Context(), before, now) })
	}
	for _, step := range []struct {
		before, now time.Time
		want        int
	}{
		{p.CreatedAt, p.ExpiresAt.Add(-time.Microsecond), 1}, {p.CreatedAt.Add(-time.Microsecond), p.ExpiresAt.Add(-time.Microsecond), 0}, {p.CreatedAt, p.ExpiresAt, 0},
	} {
		b.equal("the steps", owed(step.before, step.now).Steps, step.want)
	}
	alive := g.ExpiresAt.Add(-time.Microsecond)
	b.equal("the grants that were not redeemed", owed(g.RotatedAt.Add(time.Hour), alive).Grants, 0)
	b.grant(4, func(g *openid.Grant) { g.RedeemedAt, g.EndedAt = moment(), moment() })
	b.equal("the grants that have ended", owed(g.RotatedAt.Add(time.Hour), alive).Grants, 0)
	g = b.grant(3, func(g *openid.Grant) { g.RedeemedAt = moment() })
	last := g.RotatedAt
	if g.RedeemedAt.After(last) {
		last = g.RedeemedAt
	}
	alive = g.ExpiresAt.Add(-time.Microsecond)
	b.equal("the grants", owed(last, alive).Grants, 1)
	b.equal("the grants that were refreshed since", owed(last.Add(-time.Microsecond), alive).Grants, 0)
	b.equal("the grants that have expired", owed(last, g.ExpiresAt).Grants, 0)
}

func (b masterkeys) ChangeKeyCheck_FromWhatItWas() {
	change := func(before, after string) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.ChangeKeyCheck(b.Context(), []byte(before), []byte(after)) })
	}
	if change("first", "second") {
		b.Error("a database without a key was changed")
	}
	b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte("first"), store.Real) })
	if change("other", "second") || !change("first", "second") || change("first", "third") {
		b.Error("the check was not changed once")
	}
	got, _ := find(b.bundle, func(tx *store.Tx) ([]byte, bool, error) { return tx.KeyCheck(b.Context()) })
	b.equal("the check", got, []byte("second"))
}

// Each worker changes what it has read, since the others wait.
func (b masterkeys) HoldKeyCheck_UntilTheEnd() {
	b.did(func(tx *store.Tx) (bool, error) { return tx.KeepKeyCheck(b.Context(), []byte("0"), store.Real) })
	won := b.race(func(tx *store.Tx, worker int) (bool, error) {
		if err := tx.HoldKeyCheck(b.Context()); err != nil {
			return false, err
		}
		before, _, err := tx.KeyCheck(b.Context())
		if err != nil {
			return false, err
		}
		return tx.ChangeKeyCheck(b.Context(), before, append(before, '.'))
	})
	b.equal("the workers who found what they had read", won, workers)
}

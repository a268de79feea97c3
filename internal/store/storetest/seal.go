package storetest

import (
	"errors"
	"fmt"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/store"
)

type seals struct{ *bundle }

func (b seals) chain() audit.Chain {
	b.Helper()
	return result(b.bundle, func(tx *store.Tx) (audit.Chain, error) { return tx.Chain(b.Context()) })
}

func (b seals) newest() audit.Seal {
	b.Helper()
	return result(b.bundle, func(tx *store.Tx) (audit.Seal, error) { return tx.NewestSeal(b.Context()) })
}

func (b seals) after(number int64, limit int) []audit.Seal {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]audit.Seal, error) { return tx.Seals(b.Context(), number, limit) })
}

// add inserts a seal of a number whose range ends with a fact.
func (b seals) add(number int64, last audit.Fact) audit.Seal {
	b.Helper()
	s := full[audit.Seal](int(number))
	s.Number, s.Last, s.Records = number, audit.Position{At: last.At, ID: last.ID}, 100
	b.write(func(tx *store.Tx) error { return tx.InsertSeal(b.Context(), s) })
	return s
}

// fact inserts a fact of a number, so many minutes after the moment.
func (b seals) fact(number, minutes int) audit.Fact {
	b.Helper()
	f := full[audit.Fact](number)
	f.At = moment().Add(time.Duration(minutes) * time.Minute)
	b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), f) })
	return f
}

func (b seals) unsealed(after audit.Position, before time.Time) []audit.Fact {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) { return tx.Unsealed(b.Context(), after, before, 9) })
}

func (b seals) late(to audit.Position) []audit.Fact {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) { return tx.LateFacts(b.Context(), to, 9) })
}

func (b seals) of(after audit.Position, s audit.Seal) []audit.Fact {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) { return tx.FactsOfSeal(b.Context(), after, s) })
}

func (b seals) Chain_NoneAtFirst() {
	b.equal("the chain", b.chain(), audit.Chain{})
	b.equal("the newest seal", b.newest(), audit.Seal{})
}

// The sealed key of a chain is replaced by a change of the master key alone.
func (b seals) KeepChain_NotItsKey() {
	first, second := full[audit.Chain](1), full[audit.Chain](2)
	b.write(func(tx *store.Tx) error { return tx.BeginChain(b.Context(), first) })
	b.equal("the chain", b.chain(), first)
	b.write(func(tx *store.Tx) error { return tx.KeepChain(b.Context(), second) })
	second.Sealed, second.BeganAt = first.Sealed, first.BeganAt
	b.equal("the chain", b.chain(), second)
}

func (b seals) BeginChain_Once() {
	b.write(func(tx *store.Tx) error { return tx.BeginChain(b.Context(), full[audit.Chain](1)) })
	b.fails("another chain", func(tx *store.Tx) error { return tx.BeginChain(b.Context(), full[audit.Chain](2)) })
}

func (b seals) Seals_InOrder() {
	var all []audit.Seal
	for n := range 3 {
		all = append(all, b.add(int64(n+1), audit.Fact{At: moment(), ID: fmt.Sprint(n)}))
	}
	b.equal("all", b.after(0, 9), all)
	b.equal("a page", b.after(1, 1), all[1:2])
	b.equal("the newest", b.newest(), all[2])
}

func (b seals) NewestSeal_ByNumber() {
	b.add(10, audit.Fact{At: moment(), ID: "a"})
	last := b.add(9, audit.Fact{At: moment().Add(time.Hour), ID: "b"})
	b.equal("the number", b.newest().Number, last.Number+1)
}

func (b seals) InsertSeal_NeverReplaced() {
	s := b.add(1, audit.Fact{At: moment(), ID: "a"})
	b.fails("a number that is taken", func(tx *store.Tx) error { return tx.InsertSeal(b.Context(), s) })
}

// Facts of the same time are in the order of their ids, which are compared by bytes.
func (b seals) Unsealed_InOrder() {
	at, ids := moment(), []string{"B", "Z", "a", "é", "ß"}
	for _, id := range []string{"a", "ß", "Z", "é", "B"} {
		b.write(func(tx *store.Tx) error { return tx.InsertFact(b.Context(), audit.Fact{ID: id, At: at}) })
	}
	var got []string
	for _, f := range b.unsealed(audit.Position{}, at.Add(time.Microsecond)) {
		got = append(got, f.ID)
	}
	b.equal("the ids", got, []string{"B", "Z", "a", "ß", "é"})
	b.equal("before their time", len(b.unsealed(audit.Position{}, at)), 0)
	b.equal("after a position", len(b.unsealed(audit.Position{At: at, ID: "Z"}, at.Add(time.Hour))), len(ids)-2)
}

// A fact is late from shortly before the end of the last seal.
func (b seals) LateFacts_Assigned() {
	last := b.add(1, b.fact(1, 0)).Last
	behind, near, next := b.fact(2, -1), b.fact(3, 0), b.fact(4, 1)
	b.equal("late", b.late(audit.Position{At: next.At, ID: next.ID}), []audit.Fact{behind, near})
	b.equal("up to the seal", b.late(audit.Position{At: last.At}), []audit.Fact{behind})
}

// Facts that many newcomers bring are late as those that come alone.
func (b seals) LateFacts_OfNewcomers() {
	last := b.add(1, b.fact(1, 0)).Last
	var all []flow.Newcomer
	for i, minutes := range []int{-1, 0, 1} {
		n := newcomer(2 + i)
		n.Fact.At = moment().Add(time.Duration(minutes) * time.Minute)
		all = append(all, n)
	}
	newcomers(b).make(all...)
	b.equal("late", b.late(audit.Position{At: last.At.Add(time.Hour)}), []audit.Fact{all[0].Fact, all[1].Fact})
}

func (b seals) AssignSeal_BelongsToIt() {
	early := b.fact(1, 0)
	first := b.add(1, early)
	late := b.fact(2, -1)
	next := b.fact(3, 5)
	second := b.add(2, next)
	b.write(func(tx *store.Tx) error { return tx.AssignSeal(b.Context(), late, 2) })
	b.equal("the first seal", b.of(audit.Position{}, first), []audit.Fact{early})
	b.equal("the second seal", b.of(first.Last, second), []audit.Fact{next, late})
	b.equal("late", len(b.late(second.Last)), 0)
}

func (b seals) FactsOfSeal_AtMostOneMore() {
	for n := range 5 {
		b.fact(n, n)
	}
	b.equal("how many", len(b.of(audit.Position{}, audit.Seal{Number: 1, Last: audit.Position{At: moment().Add(time.Hour)}, Records: 2})), 3)
}

func (b seals) StrayFacts_OfNoSeal() {
	b.add(1, b.fact(1, 0))
	b.add(2, b.fact(2, 1))
	f := b.fact(3, -1)
	for number, want := range map[int64]int64{1: 1, 2: 0, 3: 1, -2: 1, 0: 0, -1: 0} {
		b.write(func(tx *store.Tx) error { return tx.AssignSeal(b.Context(), f, number) })
		b.equal(fmt.Sprintf("facts of no seal, with %d", number), result(b.bundle, func(tx *store.Tx) (int64, error) { return tx.StrayFacts(b.Context(), 1, 2) }), want)
	}
}

// Seals go with the facts that came too late for another one. A purge deletes the others, and
// leaves those that belong to a seal that stays.
func (b seals) ReleaseSeals_WithLateFacts() {
	early := b.fact(1, 0)
	b.add(1, early)
	gone, kept := b.fact(2, -1), b.fact(3, -2)
	stays := b.add(2, b.fact(4, 5))
	b.write(func(tx *store.Tx) error {
		return errors.Join(tx.AssignSeal(b.Context(), gone, 1), tx.AssignSeal(b.Context(), kept, 2), tx.ReleaseSeals(b.Context(), 1))
	})
	b.equal("the seals", b.after(0, 9), []audit.Seal{stays})
	purges(b).purgeAt(moment().Add(keepAudit + 4*time.Minute))
	b.equal("the facts", len(list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) {
		page, err := tx.Facts(b.Context(), audit.Query{Limit: 9})
		return page.Facts, err
	})), 2)
}

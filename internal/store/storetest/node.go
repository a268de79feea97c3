package storetest

import (
	"portico/internal/cluster"
	"portico/internal/store"
)

type nodes struct{ *bundle }

func (b nodes) all() map[string]cluster.NodeRow {
	b.Helper()
	byID := map[string]cluster.NodeRow{}
	_ = b.store.Read(b.Context(), func(tx *store.Tx) error {
		rows, err := tx.Nodes(b.Context())
		if err != nil {
			b.Error(err)
		}
		for _, r := range rows {
			byID[r.ID] = r
		}
		return err
	})
	return byID
}

func (b nodes) save(rows ...cluster.NodeRow) {
	b.Helper()
	for _, r := range rows {
		b.write(func(tx *store.Tx) error { return tx.SaveNode(b.Context(), r) })
	}
}

func (b nodes) Nodes_NoneAtFirst() { b.equal("the nodes", b.all(), map[string]cluster.NodeRow{}) }

func (b nodes) SaveNode_AddsAndReplaces() {
	first := cluster.NodeRow{ID: "a", Beat: 1, Settings: map[string]string{"public_url": "01", "app.1.rules": "02"}}
	other := cluster.NodeRow{ID: "b", Beat: 1 << 40, Settings: map[string]string{}}
	b.save(first, other)
	b.equal("the nodes", b.all(), map[string]cluster.NodeRow{"a": first, "b": other})
	first.Beat, first.Settings = 2, map[string]string{"locale": "03"}
	b.save(first)
	b.equal("the nodes", b.all(), map[string]cluster.NodeRow{"a": first, "b": other})
}

func (b nodes) SaveNode_Keys() {
	n := cluster.NodeRow{ID: "a", Settings: map[string]string{}, Keys: full[cluster.Keys](1)}
	b.save(n)
	b.equal("the node", b.all(), map[string]cluster.NodeRow{n.ID: n})
}

func (b nodes) DeleteNode_TheOne() {
	first, other := cluster.NodeRow{ID: "a", Settings: map[string]string{}}, cluster.NodeRow{ID: "b", Settings: map[string]string{}}
	b.save(first, other)
	for range 2 {
		b.write(func(tx *store.Tx) error { return tx.DeleteNode(b.Context(), "a") })
	}
	b.equal("the nodes", b.all(), map[string]cluster.NodeRow{"b": other})
}

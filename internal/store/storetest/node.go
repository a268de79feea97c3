package storetest

import (
	"portico/internal/node"
	"portico/internal/store"
)

type nodes struct{ *bundle }

func (b nodes) all() map[string]node.Row {
	b.Helper()
	byID := map[string]node.Row{}
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

func (b nodes) save(rows ...node.Row) {
	b.Helper()
	for _, r := range rows {
		b.write(func(tx *store.Tx) error { return tx.SaveNode(b.Context(), r) })
	}
}

func (b nodes) Nodes_NoneAtFirst() { b.equal("the nodes", b.all(), map[string]node.Row{}) }

func (b nodes) SaveNode_AddsAndReplaces() {
	first := node.Row{ID: "a", Beat: 1, Settings: map[string]string{"public_url": "01", "app.1.rules": "02"}}
	other := node.Row{ID: "b", Beat: 1 << 40, Settings: map[string]string{}}
	b.save(first, other)
	b.equal("the nodes", b.all(), map[string]node.Row{"a": first, "b": other})
	first.Beat, first.Settings = 2, map[string]string{"locale": "03"}
	b.save(first)
	b.equal("the nodes", b.all(), map[string]node.Row{"a": first, "b": other})
}

func (b nodes) DeleteNode_TheOne() {
	first, other := node.Row{ID: "a", Settings: map[string]string{}}, node.Row{ID: "b", Settings: map[string]string{}}
	b.save(first, other)
	for range 2 {
		b.write(func(tx *store.Tx) error { return tx.DeleteNode(b.Context(), "a") })
	}
	b.equal("the nodes", b.all(), map[string]node.Row{"b": other})
}

package cluster_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/cluster"
	"portico/internal/store"
)

func (b *bundle) node(settings ...string) *cluster.Node {
	set := map[string]string{}
	for i := 0; i < len(settings); i += 2 {
		set[settings[i]] = settings[i+1]
	}
	return cluster.NewNode(b.key, "here", set)
}

// live lets the nodes run for a time.
func (b *bundle) live(d time.Duration, nodes ...*cluster.Node) {
	b.Helper()
	for range d / cluster.NodeBeat {
		for _, n := range nodes {
			if err := b.store.Write(b.Context(), func(tx *store.Tx) error { return n.Look(b.Context(), tx) }); err != nil {
				b.Fatal(err)
			}
		}
		time.Sleep(cluster.NodeBeat)
	}
}

func (b *bundle) differs(n *cluster.Node, when string, want ...string) {
	b.Helper()
	if got := n.Differ(); !slices.Equal(got, want) {
		b.Errorf("%s: %q differ, want %q", when, got, want)
	}
}

func (b *bundle) rows() (rows []cluster.NodeRow) {
	b.Helper()
	_ = b.store.Read(b.Context(), func(tx *store.Tx) (err error) {
		rows, err = tx.Nodes(b.Context())
		return err
	})
	return rows
}

func TestLook_NamesWhatDiffers(t *testing.T) {
	inBubble(t, func(b *bundle) {
		like, alike := b.node("public_url", "https://a", "locale", "en"), b.node("public_url", "https://a", "locale", "en")
		b.live(3*cluster.NodeBeat, like, alike)
		b.differs(like, "alike")
		other := b.node("public_url", "https://b", "session.idle", "1h", "locale", "en")
		b.live(3*cluster.NodeBeat, like, alike, other)
		for _, n := range []*cluster.Node{like, alike, other} {
			b.differs(n, "beside another", "public_url", "session.idle")
		}
		b.live(cluster.NodeGone+2*cluster.NodeBeat, like, alike)
		b.differs(like, "when the other is gone")
	})
}

// FLT-22: rows of a killed node are not taken for a running node.
func TestLook_LeftBehind(t *testing.T) {
	inBubble(t, func(b *bundle) {
		killed := b.node("locale", "de")
		b.live(3*cluster.NodeBeat, killed)
		n := b.node("locale", "en")
		for range 10 {
			b.live(cluster.NodeBeat, n)
			b.differs(n, "after a node that was killed")
		}
		b.live(15*time.Minute, n)
		if rows := b.rows(); len(rows) != 1 {
			t.Errorf("%d rows are there 15 minutes later, want one", len(rows))
		}
		b.live(3*cluster.NodeBeat, n, killed) // the node was frozen, not killed
		b.differs(n, "when it wakes up", "locale")
	})
}

func TestLeave(t *testing.T) {
	inBubble(t, func(b *bundle) {
		n, leaves := b.node(), b.node("locale", "de")
		b.live(3*cluster.NodeBeat, n, leaves)
		b.differs(n, "before", "locale")
		if err := b.store.Write(b.Context(), func(tx *store.Tx) error { return leaves.Leave(b.Context(), tx) }); err != nil {
			b.Fatal(err)
		}
		b.live(cluster.NodeBeat, n)
		b.differs(n, "afterwards")
	})
}

func TestNew_KeepsNoValue(t *testing.T) {
	inBubble(t, func(b *bundle) {
		b.live(cluster.NodeBeat, b.node("mail_from", "secret@example.org"))
		for _, r := range b.rows() {
			if v := r.Settings["mail_from"]; v == "" || strings.Contains(v, "secret") {
				b.Errorf("the database contains %q", v)
			}
		}
	})
}

// A node notices that the database has lost what it had written there.
func TestLook_SetBack(t *testing.T) {
	inBubble(t, func(b *bundle) {
		n := b.node()
		b.live(3*cluster.NodeBeat, n)
		copied := b.rows()[0]
		b.live(3*cluster.NodeBeat, n)
		if n.SetBack() {
			t.Error("a database that goes on was set back")
		}
		if err := b.store.Write(b.Context(), func(tx *store.Tx) error { return tx.SaveNode(b.Context(), copied) }); err != nil {
			b.Fatal(err)
		}
		failed := errors.New("the commit fails")
		if err := b.store.Write(b.Context(), func(tx *store.Tx) error { return errors.Join(n.Look(b.Context(), tx), failed) }); !errors.Is(err, failed) {
			b.Fatal(err)
		}
		b.live(cluster.NodeBeat, n)
		if !n.SetBack() {
			t.Error("it does not notice that the database was set back")
		}
		b.live(cluster.NodeBeat, n)
		if n.SetBack() {
			t.Error("it is set back again")
		}
	})
}

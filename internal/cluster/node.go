package cluster

import (
	"context"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/ids"
	"portico/internal/secret"
)

const (
	// NodeBeat is how often a node calls Look.
	NodeBeat = 5 * time.Second
	// NodeGone is how long a beat stands still until its node no longer counts.
	NodeGone = 4 * NodeBeat
	// keep is how long the row then stays.
	keep = 10 * time.Minute
)

// NodeRow is what a node writes about itself.
type NodeRow struct {
	ID       string
	Beat     int64
	Settings map[string]string // key of a setting -> its keyed hash
	Keys     Keys
}

// Keys says which master keys a node has, by their public names.
type Keys struct {
	Host string   `json:"host"` // the name of its machine, for the operator
	IDs  []string `json:"ids"`  // the one that seals first
}

// Seals reports whether the node seals with a key.
func (k Keys) Seals(id string) bool { return len(k.IDs) > 0 && k.IDs[0] == id }

// Has reports whether the node has a key.
func (k Keys) Has(id string) bool { return slices.Contains(k.IDs, id) }

// NodeStore is what a Node needs of a transaction.
type NodeStore interface {
	// Nodes returns all rows.
	Nodes(ctx context.Context) ([]NodeRow, error)
	// SaveNode adds the row or replaces it.
	SaveNode(ctx context.Context, r NodeRow) error
	// DeleteNode deletes the row, if it is there.
	DeleteNode(ctx context.Context, id string) error
}

// Node is this process among the others. It is safe for concurrent use.
type Node struct {
	key      *secret.Key
	mu       sync.Mutex
	settings map[string]string
	self     NodeRow
	others   map[string]sight
	differ   []string
	stored   int64 // the newest beat that a Look has found in the own row, which was committed
	setBack  bool
}

// sight is what was seen of another node.
type sight struct {
	beat  int64
	since clock.Mark // when its beat was first seen with this value
	moved bool       // whether the beat has moved since our first look
}

// NewNode returns the node with these settings, on a machine of that name. To a
// node without its key, every setting looks different.
func NewNode(key *secret.Key, host string, settings map[string]string) *Node {
	n := &Node{key: key, settings: settings, self: NodeRow{ID: ids.New(), Keys: Keys{Host: host}}, others: map[string]sight{}}
	n.describe()
	return n
}

// Use replaces the settings of the node.
func (n *Node) Use(settings map[string]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settings = settings
}

// describe writes the row of the node, whose master key may have changed.
func (n *Node) describe() {
	n.self.Keys.IDs, n.self.Settings = n.key.IDs(), hashed(n.key, n.settings)
}

// Register writes the row of the only node of an installation, and deletes all
// others.
func (n *Node) Register(ctx context.Context, tx NodeStore) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.describe()
	rows, err := tx.Nodes(ctx)
	for _, r := range rows {
		if err == nil && r.ID != n.self.ID {
			err = tx.DeleteNode(ctx, r.ID)
		}
	}
	if err != nil {
		return err
	}
	return tx.SaveNode(ctx, n.self)
}

func hashed(key *secret.Key, settings map[string]string) map[string]string {
	mac := key.MAC("settings of nodes")
	hashes := make(map[string]string, len(settings))
	for name, value := range settings {
		hashes[name] = hex.EncodeToString(mac.Sum(name, value)[:8])
	}
	return hashes
}

// Look raises the beat and compares the settings of the other live nodes. It
// runs in one transaction.
func (n *Node) Look(ctx context.Context, tx NodeStore) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.self.Beat++
	n.describe()
	rows, err := tx.Nodes(ctx)
	if err != nil {
		return err
	}
	if err := tx.SaveNode(ctx, n.self); err != nil {
		return err
	}
	others, differ, stored := map[string]sight{}, map[string]bool{}, int64(0)
	for _, r := range rows {
		if r.ID == n.self.ID {
			stored = r.Beat
			continue
		}
		s := n.seen(r)
		others[r.ID] = s
		switch age := s.since.Age(); {
		case age > keep:
			if err := tx.DeleteNode(ctx, r.ID); err != nil {
				return err
			}
		case s.moved && age <= NodeGone:
			for _, name := range n.unlike(r) {
				differ[name] = true
			}
		}
	}
	n.others, n.differ = others, slices.Sorted(maps.Keys(differ))
	n.setBack, n.stored = stored < n.stored, max(stored, n.stored) // the same again if the transaction is
	return nil
}

// SetBack reports whether the database was older at the last Look than at one before.
func (n *Node) SetBack() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.setBack
}

// seen returns what is known of another node, its row included.
func (n *Node) seen(r NodeRow) sight {
	s, known := n.others[r.ID]
	if known && s.beat == r.Beat {
		return s
	}
	return sight{beat: r.Beat, since: clock.Here(), moved: known}
}

// unlike returns the settings in which a node differs. While the master key is
// changed, two nodes may seal with different ones for seconds. Then their hashes
// say nothing.
func (n *Node) unlike(r NodeRow) []string {
	if !r.Keys.Seals(n.self.Keys.IDs[0]) && slices.ContainsFunc(n.self.Keys.IDs, r.Keys.Seals) {
		return nil
	}
	return unlike(n.self.Settings, r.Settings)
}

// unlike returns the names whose values differ or that only one of the two has.
func unlike(a, b map[string]string) (names []string) {
	for name := range a {
		if a[name] != b[name] {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	return names
}

// Differ returns the settings, in order, in which another node differed at the
// last Look.
func (n *Node) Differ() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.differ)
}

// Compare returns how many nodes have a row, and the settings in which one of
// them differs from this process, which has no row. A node that ended without
// Leave keeps its row until another node deletes it.
func (n *Node) Compare(ctx context.Context, tx NodeStore) (nodes int, differ []string, err error) {
	rows, err := tx.Nodes(ctx)
	if err != nil {
		return 0, nil, err
	}
	all := map[string]bool{}
	for _, r := range rows {
		for _, name := range n.unlike(r) {
			all[name] = true
		}
	}
	return len(rows), slices.Sorted(maps.Keys(all)), nil
}

// Leave deletes the row of this node.
func (n *Node) Leave(ctx context.Context, tx NodeStore) error { return tx.DeleteNode(ctx, n.self.ID) }

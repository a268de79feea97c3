package session

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"
)

const shards = 64 // a power of two

// key is the SHA-256 of a token: random, so its first byte spreads the load.
type key [sha256.Size]byte

// cache keeps the sessions that were checked recently. A check takes the read
// lock of one shard. Ending sessions takes all locks that it needs.
type cache struct {
	shard [shards]struct {
		sync.RWMutex
		entries map[key]*entry
		hits    atomic.Uint64 // of this shard, so that checks do not contend for one counter
		_       [24]byte      // fills the cache line, so that two locks never share one
	}
	maxShard int

	// ended counts the calls of forget. A row that was read before such a call
	// may be out of date and is not kept.
	ended atomic.Uint64

	misses atomic.Uint64

	mu       sync.Mutex
	accounts map[string]*entry // the first kept entry of each account
	byID     map[string]*entry
	used     map[string]time.Time // uses of loose entries, by session id

	beside []Beside
}

// Beside is a cache with data of accounts that lives next to the cache of sessions.
type Beside interface {
	Drop(accountID string)
	DropAll()
}

// entry is a session that was read. Only its last use and its neighbors change.
type entry struct {
	key     key
	found   Found
	seen    atomic.Int64 // last use, in microseconds
	written atomic.Int64 // the last use that is in the database
	loose   atomic.Bool  // not in the cache, or no longer

	next, prev *entry // of the same account; guarded by the lock of the cache
}

func (e *entry) lastSeen() time.Time { return time.UnixMicro(e.seen.Load()).UTC() }

// foundAt returns the session, with its last use before the current one.
func (e *entry) foundAt(seen time.Time) Found {
	found := e.found
	found.Session.LastSeenAt = seen
	return found
}

// see moves the last use forward. A clock that was set back has no effect.
func (e *entry) see(now time.Time) {
	us := now.UnixMicro()
	for old := e.seen.Load(); us > old; old = e.seen.Load() {
		if e.seen.CompareAndSwap(old, us) {
			return
		}
	}
}

// use counts a use of a session. The cache finds the uses of its own entries; the use of
// a loose one it keeps apart.
func (c *cache) use(e *entry, now time.Time) {
	e.see(now)
	if !e.loose.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepUse(e)
}

// keepUse keeps the last use of a loose entry until it is written.
func (c *cache) keepUse(e *entry) {
	if seen := e.lastSeen(); e.seen.Load() > e.written.Load() && seen.After(c.used[e.found.Session.ID]) {
		c.used[e.found.Session.ID] = seen
	}
}

func newCache(limit int) *cache {
	c := &cache{
		maxShard: max(1, limit/shards),
		accounts: make(map[string]*entry),
		byID:     make(map[string]*entry),
		used:     make(map[string]time.Time),
	}
	for i := range c.shard {
		c.shard[i].entries = make(map[key]*entry)
	}
	return c
}

func (c *cache) get(k key) *entry {
	s := &c.shard[k[0]%shards]
	s.RLock()
	e := s.entries[k]
	s.RUnlock()
	if e != nil {
		s.hits.Add(1)
	}
	return e
}

func (c *cache) generation() uint64 { return c.ended.Load() }

// put keeps what was read at the given generation and returns its entry. If
// sessions were ended since then, the entry serves the current check only.
func (c *cache) put(k key, found Found, generation uint64) *entry {
	e := &entry{key: k, found: found}
	e.seen.Store(found.Session.LastSeenAt.UnixMicro())
	e.written.Store(found.Session.LastSeenAt.UnixMicro())

	c.mu.Lock()
	defer c.mu.Unlock()
	if last, ok := c.used[found.Session.ID]; ok {
		e.see(last)
	}
	if c.ended.Load() != generation {
		e.loose.Store(true)
		return e
	}
	s := &c.shard[k[0]%shards]
	s.Lock()
	if other := s.entries[k]; other != nil {
		s.Unlock()
		return other
	}
	var victim key
	full := len(s.entries) >= c.maxShard
	if full {
		for victim = range s.entries { // map order: a random one
			break
		}
	}
	s.entries[k] = e
	s.Unlock()
	if full {
		c.dropLocked(victim)
	}
	c.link(e)
	c.byID[found.Session.ID] = e
	return e
}

// link puts the entry in front of the others of its account.
func (c *cache) link(e *entry) {
	e.next = c.accounts[e.found.User.ID]
	if e.next != nil {
		e.next.prev = e
	}
	c.accounts[e.found.User.ID] = e
}

// unlink removes the entry from the others of its account.
func (c *cache) unlink(e *entry) {
	if e.next != nil {
		e.next.prev = e.prev
	}
	switch {
	case e.prev != nil:
		e.prev.next = e.next
	case e.next != nil:
		c.accounts[e.found.User.ID] = e.next
	default:
		delete(c.accounts, e.found.User.ID)
	}
}

func (c *cache) drop(k key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropLocked(k)
}

func (c *cache) dropLocked(k key) {
	s := &c.shard[k[0]%shards]
	s.Lock()
	e := s.entries[k]
	delete(s.entries, k)
	s.Unlock()
	if e == nil {
		return
	}
	e.loose.Store(true) // before the last use is read, so that none is lost between
	c.keepUse(e)
	delete(c.byID, e.found.Session.ID)
	c.unlink(e)
}

func (c *cache) forget(accountID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Add(1)
	for e := c.accounts[accountID]; e != nil; e = e.next {
		c.dropLocked(e.key)
	}
	for _, b := range c.beside {
		b.Drop(accountID)
	}
}

// clear forgets every account.
func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Add(1)
	for _, e := range c.byID {
		c.dropLocked(e.key)
	}
	for _, b := range c.beside {
		b.DropAll()
	}
}

func (c *cache) lead(b Beside) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beside = append(c.beside, b)
}

// CacheStats are the figures of the cache. The counts grow from the start of
// the process.
type CacheStats struct {
	Hits   uint64 // checks that were answered from memory
	Misses uint64 // checks that asked the database
	Size   int    // sessions in memory
}

func (c *cache) stats() CacheStats {
	s := CacheStats{Misses: c.misses.Load()}
	for i := range c.shard {
		s.Hits += c.shard[i].hits.Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Size = len(c.byID)
	return s
}

// seen returns the last use of a session, as far as the cache knows it.
func (c *cache) seen(id string) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byID[id]; e != nil {
		return e.lastSeen()
	}
	return c.used[id]
}

// sweep drops idle entries, so that the cache holds current sessions only.
func (c *cache) sweep(now time.Time, idle time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limit := now.Add(-min(idle, time.Hour)).UnixMicro()
	for _, e := range c.byID {
		if e.seen.Load() < limit {
			c.dropLocked(e.key)
		}
	}
}

// Use is the last use of a session or a personal access token.
type Use struct {
	ID   string
	Seen time.Time
}

// takeUsed returns the uses that are not in the database yet.
func (c *cache) takeUsed() []Use {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]Use, 0, len(c.used))
	for id, seen := range c.used {
		list = append(list, Use{id, seen})
	}
	clear(c.used)
	for id, e := range c.byID {
		seen := e.seen.Load()
		if e.written.Swap(seen) < seen {
			list = append(list, Use{id, time.UnixMicro(seen).UTC()})
		}
	}
	return list
}

// giveBack keeps uses whose write failed for the next attempt.
func (c *cache) giveBack(list []Use) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range list {
		if u.Seen.After(c.used[u.ID]) {
			c.used[u.ID] = u.Seen
		}
	}
}

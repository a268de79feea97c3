package openid

import "sync"

// mostKept is how many grants the memory of a node holds, each of about a kilobyte.
const mostKept = 10_000

// kept remembers the grants of access tokens that were shown recently. It only
// answers yes: any other answer comes from the database.
type kept struct {
	mu       sync.RWMutex
	byID     map[string]Live
	accounts map[string][]string // ids of grants, by account

	// dropped counts the calls of drop. A grant that was read before such a call may
	// be out of date and is not kept.
	dropped uint64
}

func newKept() *kept {
	return &kept{byID: make(map[string]Live), accounts: make(map[string][]string)}
}

func (c *kept) get(id string) (Live, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	l, ok := c.byID[id]
	return l, ok
}

func (c *kept) generation() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.dropped
}

// put keeps a grant that was read at a generation.
func (c *kept) put(l Live, generation uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dropped != generation {
		return
	}
	id := l.Grant.ID
	if _, known := c.byID[id]; !known {
		if len(c.byID) >= mostKept {
			for _, victim := range c.byID { // map order: a random one
				c.forget(victim.User.ID)
				break
			}
		}
		c.accounts[l.User.ID] = append(c.accounts[l.User.ID], id)
	}
	c.byID[id] = l
}

func (c *kept) forget(accountID string) {
	for _, id := range c.accounts[accountID] {
		delete(c.byID, id)
	}
	delete(c.accounts, accountID)
}

func (c *kept) drop(accountID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped++
	c.forget(accountID)
}

func (c *kept) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropped++
	clear(c.byID)
	clear(c.accounts)
}

// Drop makes this node read the grants of an account again. It must be called after
// the commit of every change to the account, its sessions or its grants.
func (k *Keeper) Drop(accountID string) { k.kept.drop(accountID) }

// DropAll is Drop for all accounts.
func (k *Keeper) DropAll() { k.kept.clear() }

// Moment is a time before a grant was read.
type Moment struct{ generation uint64 }

// Moment returns the present one, for Keep.
func (k *Keeper) Moment() Moment { return Moment{k.kept.generation()} }

// Keep remembers a grant that was read, or changed and committed, after a moment. It does
// not remember a grant of a client that has registered itself. The end of such a client ends
// its tokens, and drops no account.
func (k *Keeper) Keep(l Live, since Moment) {
	if RegisteredHost(l.Grant.ClientID) == "" {
		k.kept.put(l, since.generation)
	}
}

// KeptAccess is Access and AccessJWT without the database. If it returns false, the
// caller must use those.
func (k *Keeper) KeptAccess(access string, signed *AccessClaims) (Bearer, bool) {
	t, ok := k.read(kindAccess, access)
	if signed != nil {
		t, ok = split(signed.ID)
	}
	if !ok || !k.clock.Now().Before(t.ends) {
		return Bearer{}, false
	}
	l, ok := k.kept.get(t.grant)
	return bearerOf(t, l), ok && k.admits(l, t)
}

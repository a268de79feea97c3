package openid

import (
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// maxSent is how many refusals of one kind are remembered. They differ in what was sent.
	maxSent = 3

	// maxOfClient is how many are remembered for one client: twelve kinds.
	maxOfClient = 12 * maxSent

	// maxStrange is how many are remembered for all ids that no client of the settings has.
	maxStrange = 48
)

// Refusal is a refused request, with how often the same was refused.
type Refusal struct {
	Asked

	At        time.Time `json:"at"` // the time of the last one
	Count     int       `json:"count"`
	Endpoint  string    `json:"endpoint"` // its route
	Code      string    `json:"code"`     // the code of the fault
	Cause     string    `json:"cause"`
	RequestID string    `json:"request_id"`
}

// like reports whether two refusals are of one kind.
func (x Refusal) like(y Refusal) bool {
	return x.ClientID == y.ClientID && x.Endpoint == y.Endpoint && x.Code == y.Code && x.Cause == y.Cause
}

// same reports whether two refused requests said the same.
func (x Refusal) same(y Refusal) bool { return x.like(y) && maps.Equal(x.Sent, y.Sent) }

// Refusals remembers the last refused requests of each client, in memory alone: anybody can send
// them, so they cost no write. Requests that say the same take one place, and many of one kind
// displace none of another kind. It is safe for concurrent use.
type Refusals struct {
	mu       sync.Mutex
	byClient map[string][]Refusal // the oldest first; "" for ids that no client of the settings has
}

// NewRefusals returns a memory without refusals.
func NewRefusals() *Refusals { return &Refusals{byClient: map[string][]Refusal{}} }

// Add remembers a refusal. known says that its client is one of the settings.
func (r *Refusals) Add(x Refusal, known bool) {
	place, most := "", maxStrange
	if known {
		place, most = x.ClientID, maxOfClient
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.byClient[place]
	x.Count = 1
	if i := x.displaces(list, most); i >= 0 {
		if list[i].same(x) {
			x.Count += list[i].Count
		}
		list = slices.Delete(list, i, i+1)
	}
	r.byClient[place] = append(list, x)
}

// displaces returns the index of the refusal whose place x takes, or -1 for none: the same one,
// else the oldest of its kind if there are enough of that, else the oldest of a full list.
func (x Refusal) displaces(list []Refusal, most int) int {
	oldest, alike := -1, 0
	for i, y := range list {
		if x.same(y) {
			return i
		}
		if x.like(y) {
			if alike++; alike == 1 {
				oldest = i
			}
		}
	}
	switch {
	case alike == maxSent:
		return oldest
	case len(list) == most:
		return 0
	}
	return -1
}

// Of returns the refusals of a client, and of ids that are likely meant to be its own, the newest first.
func (r *Refusals) Of(clientID string) []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := append([]Refusal{}, r.byClient[clientID]...)
	for _, x := range r.byClient[""] {
		if clientID != "" && (x.ClientID == clientID || x.Registered[askedID] == clientID) {
			list = append(list, x)
		}
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Refusal) int { return b.At.Compare(a.At) })
	return list
}

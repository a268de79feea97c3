package openid

import (
	"slices"
	"sync"
	"time"
)

const (
	// maxAlike is how many kinds of refusals are remembered for one client.
	maxAlike = 12

	// maxStrange is how many are remembered for all ids that no client of the settings has.
	maxStrange = 48
)

// Refusal is a refused request, with how often the like was refused.
type Refusal struct {
	Asked

	At        time.Time `json:"at"` // the time of the last one
	Count     int       `json:"count"`
	Endpoint  string    `json:"endpoint"` // its route
	Code      string    `json:"code"`     // the code of the fault
	Cause     string    `json:"cause"`
	RequestID string    `json:"request_id"`
}

func (x Refusal) like(y Refusal) bool {
	return x.ClientID == y.ClientID && x.Endpoint == y.Endpoint && x.Code == y.Code && x.Cause == y.Cause
}

// Refusals remembers the last refused requests of each client, in memory alone: anybody can send
// them, so they cost no write. Requests that are refused alike take one place, and many of one kind
// displace no other. It is safe for concurrent use.
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
		place, most = x.ClientID, maxAlike
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.byClient[place]
	x.Count = 1
	if i := slices.IndexFunc(list, x.like); i >= 0 {
		x.Count += list[i].Count
		list = slices.Delete(list, i, i+1)
	}
	if len(list) == most {
		list = slices.Delete(list, 0, 1)
	}
	r.byClient[place] = append(list, x)
}

// Of returns the refusals of a client, and of ids that are likely meant to be its own, the newest first.
func (r *Refusals) Of(clientID string) []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Clone(r.byClient[clientID])
	for _, x := range r.byClient[""] {
		if clientID != "" && (x.ClientID == clientID || x.Registered[askedID] == clientID) {
			list = append(list, x)
		}
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Refusal) int { return b.At.Compare(a.At) })
	return list
}

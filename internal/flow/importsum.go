package flow

import (
	"hash/maphash"
	"maps"
	"slices"

	"portico/internal/account"
	"portico/internal/people"
)

// ImportSum counts what became of the people of a file.
type ImportSum struct {
	Created   int64            `json:"created"`
	Changed   int64            `json:"changed"`
	Unchanged int64            `json:"unchanged"`
	Refused   int64            `json:"refused"`        // the caller counts them
	With      map[string]int64 `json:"with"`           // people who were not refused, by traits
	Changes   map[string]int64 `json:"changes"`        // accounts, by changed field
	LeftOut   map[string]int64 `json:"left_out"`       // people, by what was left out
	Unknown   map[string]int64 `json:"unknown_fields"` // people, by field

	Missing map[string]string `json:"missing_fields"` // what nobody brings without them
}

// NewImportSum returns a sum of nobody.
func NewImportSum() *ImportSum {
	return &ImportSum{With: map[string]int64{}, Changes: map[string]int64{}, LeftOut: map[string]int64{}, Unknown: map[string]int64{}, Missing: map[string]string{}}
}

// clone returns a sum that can be added to apart.
func (m *ImportSum) clone() *ImportSum {
	c := *m
	c.With, c.Changes = maps.Clone(m.With), maps.Clone(m.Changes)
	c.LeftOut, c.Unknown = maps.Clone(m.LeftOut), maps.Clone(m.Unknown)
	return &c
}

// Total returns how many people there were.
func (m *ImportSum) Total() int64 { return m.Created + m.Changed + m.Unchanged + m.Refused }

// Add counts a person who was not refused.
func (m *ImportSum) Add(d Imported) {
	switch d.Outcome {
	case Created:
		m.Created++
	case Changed:
		m.Changed++
	case Unchanged:
		m.Unchanged++
	}
	if d.Outcome != Refused {
		countAll(m.With, d.Has)
	}
	countAll(m.Changes, d.Changes)
	countAll(m.LeftOut, d.Left)
}

// Ignore counts the fields of a person that are not known.
func (m *ImportSum) Ignore(fields []string) { countAll(m.Unknown, fields) }

// countAll counts each name of an entry once. Names beyond a few hundred share one count.
func countAll(counts map[string]int64, names []string) {
	const most = 300
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if _, known := counts[name]; !known && len(counts) >= most {
			name = "others"
		}
		counts[name]++
	}
}

// Seen knows the addresses of earlier lines and what their people get, so that a dry run finds twice in a file what the
// database finds once it is written. It knows the first two million of both, which takes some 80 MB.
type Seen struct {
	seed maphash.Seed
	keys map[uint64]struct{}
}

const mostSeen = 2 << 20

// NewSeen returns a Seen that knows nobody.
func NewSeen() *Seen { return &Seen{seed: maphash.MakeSeed(), keys: map[uint64]struct{}{}} }

func (s *Seen) knows(u unique) bool {
	_, known := s.keys[maphash.Comparable(s.seed, u)]
	return known
}

func (s *Seen) keep(u unique) {
	if len(s.keys) < mostSeen {
		s.keys[maphash.Comparable(s.seed, u)] = struct{}{}
	}
}

// Problem returns the one of a person whose address an earlier line has, else nil.
func (s *Seen) Problem(p people.Person) *people.Problem {
	address, bad := account.ParseAddress(p.Email, "email")
	if bad != nil {
		return nil
	}
	line := unique{ofLine, "", address.Key}
	if s.knows(line) {
		return twiceInFile(p)
	}
	s.keep(line)
	return nil
}

// tell notes what people of earlier calls get of what these have, as if the database had it.
func (s *Seen) tell(m met, arrivals []*arrival) {
	if s == nil {
		return
	}
	for _, a := range arrivals {
		for _, p := range a.possessions() {
			if m.owners[p.unique] == "" && s.knows(p.unique) {
				m.owners[p.unique] = "of an earlier call"
			}
		}
	}
}

// learn keeps what the people of a call get.
func (s *Seen) learn(m met) {
	if s == nil {
		return
	}
	for u, owner := range m.owners {
		if m.here[owner] {
			s.keep(u)
		}
	}
}

func twiceInFile(p people.Person) *people.Problem {
	return &people.Problem{Field: "email", Value: people.Short(p.Email), Reason: "is the address of an earlier line too"}
}

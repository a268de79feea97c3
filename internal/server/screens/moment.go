package screens

import "time"

// moment returns a time for a page, none for the zero time.
func (s *Screens) moment(loc string, t time.Time) Moment {
	if t.IsZero() {
		return Moment{}
	}
	return Moment{At: t.UTC().Format(time.RFC3339), Words: s.Catalogue.Moment(loc, t)}
}

// used returns when something was last used, none until it is used after it was added.
func (s *Screens) used(loc string, added, used time.Time) Moment {
	if !used.After(added) {
		return Moment{}
	}
	return s.moment(loc, used)
}

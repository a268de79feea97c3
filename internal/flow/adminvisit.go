package flow

import (
	"strconv"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/session"
)

// AdminIdle is how long the admin page may be left alone before it asks for a proof again. The
// session itself goes on, in apps and on the account pages.
const AdminIdle = 30 * time.Minute

// Visit returns what the browser of an admin keeps about a use of the admin page now. All nodes
// can read it, and it is worth nothing with another session.
func (f *Operator) Visit(found session.Found) string {
	at := strconv.FormatInt(f.clock.Now().Unix(), 10)
	return at + "." + secret.Encode(f.visits.Sum(found.Session.ID, at))
}

// idle reports whether neither the last visit nor the proof of a session is recent.
func (f *Operator) idle(found session.Found, visit string) bool {
	now := f.clock.Now()
	recent := func(at time.Time) bool { return now.Sub(at) < AdminIdle && !clock.Ahead(at, now) }
	at, sum, _ := strings.Cut(visit, ".")
	seconds, err := strconv.ParseInt(at, 10, 64)
	hash, ok := secret.Decode(sum)
	visited := err == nil && ok && f.visits.Is(hash, found.Session.ID, at) && recent(time.Unix(seconds, 0))
	return !visited && !recent(found.Session.StrongAt)
}

package flow

import (
	"strconv"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/session"
)

// AdminIdle is how long the admin page may be left alone before it asks for a proof again, and adminLife how long a
// proof opens it in any case (NIST SP 800-63B-4, 2.3.3). The session itself goes on, in apps and on the account pages.
const (
	AdminIdle = 15 * time.Minute
	adminLife = 12 * time.Hour
)

// Visit returns what the browser of an admin keeps about a use of the admin page now. All nodes
// can read it, and it is worth nothing with another session.
func (f *Operator) Visit(found session.Found) string {
	at := strconv.FormatInt(f.clock.Now().Unix(), 10)
	return at + "." + secret.Encode(f.visits.Sum(found.Session.ID, at))
}

// lapsed reports whether the proof of a session is too old, or neither it nor the last visit is recent.
func (f *Operator) lapsed(found session.Found, visit string) bool {
	now := f.clock.Now()
	within := func(most time.Duration, at time.Time) bool { return now.Sub(at) < most && !clock.Ahead(at, now) }
	at, sum, _ := strings.Cut(visit, ".")
	seconds, err := strconv.ParseInt(at, 10, 64)
	hash, ok := secret.Decode(sum)
	visited := err == nil && ok && f.visits.Is(hash, found.Session.ID, at) && within(AdminIdle, time.Unix(seconds, 0))
	return !within(adminLife, found.Session.StrongAt) || !visited && !within(AdminIdle, found.Session.StrongAt)
}

package screens

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"portico/internal/audit"
	"portico/internal/pages"
	"portico/internal/server/form"
	"portico/internal/session"
	"portico/internal/useragent"
)

// sessionsPage is the page of the sessions.
func (s *Screens) sessionsPage() page {
	return s.ownPage(section{
		screen: ScreenAccountSessions, path: pages.Sessions, fill: s.fillSessions,
		says:  []string{form.SessionEnded, form.SessionsEnded},
		forms: []pageForm{post("", s.Actions.EndSession, nil)},
	})
}

// device returns a user agent in words.
func (s *Screens) device(locale, userAgent string) string {
	return cmp.Or(s.Describe(userAgent), s.Catalogue.Text(locale, "account.unknown_device", nil))
}

// activeFor is how long after its last use a session counts as active.
const activeFor = 5 * time.Minute

// network returns a masked network without its length.
func network(peer string) string {
	address, _, _ := strings.Cut(peer, "/")
	return address
}

// fillSessions adds the sessions of the account, the one that asks first.
func (s *Screens) fillSessions(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	sessions, err := s.Owner.UserSessions(r.Context(), found.User.ID)
	for _, each := range sessions {
		shown := OwnSession{
			ID: each.ID, Name: s.device(b.Locale, each.UserAgent), Phone: yes(useragent.Handheld(each.UserAgent)),
			Place: cmp.Or(s.Place(each.Peer, b.Locale), network(each.Peer)), Active: yes(s.Actions.Now().Sub(each.LastSeenAt) < activeFor),
			By:    s.eventOf(b.Locale, audit.Fact{Name: audit.SignedIn, Detail: strings.Join(each.Methods, ",")}),
			Since: s.moment(b.Locale, each.CreatedAt), Seen: s.moment(b.Locale, each.LastSeenAt),
		}
		if each.ID == found.Session.ID {
			shown.Here, shown.Active = yes(true), yes(true)
			b.Account.Sessions = append([]OwnSession{shown}, b.Account.Sessions...)
			continue
		}
		b.Account.Others = yes(true)
		b.Account.Sessions = append(b.Account.Sessions, shown)
	}
	return err
}

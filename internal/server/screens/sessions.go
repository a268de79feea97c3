package screens

import (
	"cmp"
	"net/http"

	"portico/internal/pages"
	"portico/internal/server/form"
	"portico/internal/session"
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

// fillSessions adds the sessions of the account, the one that asks first.
func (s *Screens) fillSessions(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	sessions, err := s.Owner.Sessions(r.Context(), found)
	for _, each := range sessions {
		shown := OwnSession{
			ID: each.ID, Name: s.device(b.Locale, each.UserAgent),
			Place: s.Place(each.Peer, b.Locale),
			Since: s.Catalogue.Moment(b.Locale, each.CreatedAt), Seen: s.Catalogue.Moment(b.Locale, each.LastSeenAt),
		}
		if each.ID == found.Session.ID {
			shown.Here = yes(true)
			b.Account.Sessions = append([]OwnSession{shown}, b.Account.Sessions...)
			continue
		}
		b.Account.Others = yes(true)
		b.Account.Sessions = append(b.Account.Sessions, shown)
	}
	return err
}

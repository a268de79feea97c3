package screens

import (
	"net/http"
	"strings"

	"portico/internal/audit"
	"portico/internal/session"
)

// fillHistory adds the audit records of the account in words.
func (s *Screens) fillHistory(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	facts, err := s.Actions.Flows.History(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	for _, f := range facts {
		b.Account.History = append(b.Account.History, Event{
			ID: f.ID, Text: s.Catalogue.Text(b.Locale, "history."+string(f.Name), map[string]string{"version": f.Detail}),
			At: s.Catalogue.Moment(b.Locale, f.At), Where: s.whereOf(b.Locale, f),
		})
	}
	return nil
}

// whereOf returns the app, the browser and the network of a record, or who else acted.
func (s *Screens) whereOf(loc string, f audit.Fact) string {
	if f.Actor == "operator" {
		return s.Catalogue.Text(loc, "history.by_operator", map[string]string{"brand": s.Brand.Name})
	}
	var parts []string
	network, _, _ := strings.Cut(f.Peer, "/") // without its length
	for _, part := range []string{s.Actions.Flows.AppOf(f), s.Describe(f.UserAgent), network} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

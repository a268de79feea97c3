package screens

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/session"
)

// fillHistory adds audit records of the account in words: the newest, or those before
// the record in the query.
func (s *Screens) fillHistory(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	facts, older, err := s.Owner.History(r.Context(), found.User.ID, r.URL.Query().Get("before"))
	if err != nil {
		return err
	}
	if older != "" {
		b.Account.Older = pages.With(pages.History, url.Values{"before": {older}})
	}
	for _, f := range facts {
		b.Account.History = append(b.Account.History, Event{
			ID: f.ID, Text: s.eventOf(b.Locale, f), At: s.Catalogue.Moment(b.Locale, f.At), Where: s.whereOf(b.Locale, f),
		})
	}
	return nil
}

// eventOf returns what a record is about. A sign-in names its proofs.
func (s *Screens) eventOf(loc string, f audit.Fact) string {
	var words []string
	for _, p := range s.Owner.ProofsOf(f) {
		words = append(words, cmp.Or(p.Provider, s.Catalogue.TextOr(loc, "history.proof_"+p.Method, "history.proof_other", nil)))
	}
	switch last := len(words) - 1; last {
	case -1:
		key := "history." + string(f.Name)
		if f.Name == audit.SignInFailed && f.Detail == passkey.Method {
			key += "_passkey" // no password was entered
		}
		return s.Catalogue.TextOr(loc, key, "history.other", map[string]string{"version": f.Detail})
	case 0:
		return s.Catalogue.Text(loc, "history.signed_in_with", map[string]string{"proof": words[0]})
	default:
		return s.Catalogue.Text(loc, "history.signed_in_with_two", map[string]string{"first": strings.Join(words[:last], ", "), "second": words[last]})
	}
}

// whereOf returns the app, the browser and the network of a record, or who else acted.
func (s *Screens) whereOf(loc string, f audit.Fact) string {
	if f.Actor == "operator" {
		return s.Catalogue.Text(loc, "history.by_operator", map[string]string{"brand": s.Brand.Name})
	}
	var parts []string
	if flow.ByAlarm(f) {
		parts = append(parts, s.Catalogue.Text(loc, "history.by_alarm", nil))
	}
	network, _, _ := strings.Cut(f.Peer, "/") // without its length
	for _, part := range []string{s.Owner.AppOf(f), s.Describe(f.UserAgent), network} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

package screens

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/session"
)

// onlySignIns is the value of the query that leaves all other events out.
const onlySignIns = "signins"

// fillHistory adds audit records of the account in words: the newest, or those before
// the record in the query.
func (s *Screens) fillHistory(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	query := r.URL.Query()
	only, names := query.Get("only") == onlySignIns, []audit.Name(nil)
	if only {
		names = slices.Collect(maps.Keys(entering))
	}
	facts, older, err := s.Owner.History(r.Context(), found.User.ID, query.Get("before"), names...)
	if err != nil {
		return err
	}
	b.Account.SignIns = yes(only)
	if older != "" {
		values := url.Values{"before": {older}}
		if only {
			values.Set("only", onlySignIns)
		}
		b.Account.Older = pages.With(pages.History, values)
	}
	above := ""
	for _, f := range facts {
		day := s.Catalogue.Day(b.Locale, f.At)
		b.Account.History = append(b.Account.History, Event{
			ID: f.ID, Text: s.eventOf(b.Locale, f), At: f.At.UTC().Format(time.RFC3339), Where: s.whereOf(b.Locale, f),
			Day: day, Begins: yes(day != above), Time: f.At.UTC().Format("15:04 UTC"),
			SignIn: yes(entering[f.Name]), SignOut: yes(f.Name == audit.SignedOut || f.Name == audit.SessionEnded), Failed: yes(failing[f.Name]),
		})
		above = day
	}
	return nil
}

// failing has the attempts that a thief may have made, and entering these and the sign-ins.
var (
	failing = map[audit.Name]bool{
		audit.SignInFailed: true, audit.SignInRefused: true, audit.CodeFailed: true, audit.CodeReplayed: true, audit.FactorFailed: true,
		audit.ProviderRefused: true, audit.PasskeySuspect: true, audit.Throttled: true,
	}
	entering = func() map[audit.Name]bool {
		all := maps.Clone(failing)
		all[audit.SignedUp], all[audit.SignedIn] = true, true
		return all
	}()
)

// eventOf returns what a record is about. A sign-in and a later proof name the proofs.
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
		return s.Catalogue.Text(loc, "history."+string(f.Name)+"_with", map[string]string{"proof": words[0]})
	default:
		return s.Catalogue.Text(loc, "history."+string(f.Name)+"_with_two", map[string]string{"first": strings.Join(words[:last], ", "), "second": words[last]})
	}
}

// whereOf returns the app, the browser and the network of a record, or who else acted.
func (s *Screens) whereOf(loc string, f audit.Fact) string {
	if f.Managed() {
		return s.Catalogue.Text(loc, "history.by_operator", nil)
	}
	var parts []string
	if flow.ByAlarm(f) {
		parts = append(parts, s.Catalogue.Text(loc, "history.by_alarm", nil))
	}
	for _, part := range []string{s.Owner.AppOf(f), s.Describe(f.UserAgent), network(f.Peer)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

package screens

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// fillOverview adds the state of each section that has one, and what the user should see to.
func (s *Screens) fillOverview(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	sum, err := s.Owner.Overview(r.Context(), found)
	if err != nil {
		return err
	}
	say := func(key string) string { return s.Catalogue.Text(b.Locale, "state."+key, nil) }
	counted := func(key string, count int) string {
		if count == 0 {
			return say(key + "_none")
		}
		return s.Catalogue.Text(b.Locale, "state."+key, map[string]string{"count": strconv.Itoa(count)})
	}
	states := SectionStates{
		Addresses: b.Session.Email, Passkeys: counted("passkeys", sum.Passkeys), Apps: counted("apps", sum.Clients),
		Password: say("password_unset"), Factors: say("factors_off"), Sessions: say("sessions_one"), Weak: yes(sum.Password && !sum.Second.App && !(sum.Second.Any() && s.Owner.Requires(found.User.Roles))),
	}
	if sum.Password {
		states.Password = say("password_set")
	}
	if sum.Apps > 0 {
		states.Factors = say("factors_on")
	}
	if more := sum.Addresses - 1; more > 0 {
		states.Addresses = s.Catalogue.Text(b.Locale, "state.addresses", map[string]string{"email": b.Session.Email, "count": strconv.Itoa(more)})
	}
	if more := sum.Sessions - 1; more > 0 {
		states.Sessions = s.Catalogue.Text(b.Locale, "state.sessions", map[string]string{"count": strconv.Itoa(more)})
	}
	states.Providers = cmp.Or(connected(sum.Providers), say("providers_none"))
	if s.Settings.Trust != "" {
		states.Browsers = counted("browsers", len(sum.Browsers))
	}
	b.Account.States = states
	s.fillAlerts(found, sum, b)
	return nil
}

// connected returns the names of the providers that the account is connected with.
func connected(list []flow.OwnProvider) string {
	var names []string
	for _, l := range list {
		if !l.Since.IsZero() {
			names = append(names, l.Name)
		}
	}
	return strings.Join(names, ", ")
}

// fillAlerts adds what the user should see to: a missing second factor, the last recovery
// codes, a passkey that was made for another host.
func (s *Screens) fillAlerts(found session.Found, sum flow.Overview, b *Boot) {
	second := sum.Second
	alert := func(id, page string, values map[string]string) {
		b.Account.Alerts = append(b.Account.Alerts, Alert{ID: id, Text: s.Catalogue.Text(b.Locale, "state.alert_"+id, values), Page: page})
	}
	switch {
	case !second.Any() && s.Owner.Requires(found.User.Roles):
		alert("factor", pages.Factors, nil)
	case second.App && second.Codes == 0:
		alert("codes_none", pages.Factors, nil)
	case second.App && second.Codes <= fewCodes:
		alert("codes", pages.Factors, nil)
	}
	if s.Settings.Passkeys == "" {
		return
	}
	for _, p := range sum.Held {
		if !s.Owner.PasskeyWorks(p) {
			alert("passkey", pages.Passkeys, map[string]string{"host": p.Host})
			return
		}
	}
}

package screens

import (
	"net/http"

	"portico/internal/server/form"
	"portico/internal/session"
)

// fillBrowsers adds the browsers that the account trusts.
func (s *Screens) fillBrowsers(w http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	list, err := s.Owner.TrustedBrowsers(r.Context(), found.User.ID)
	cookie := s.Actions.Caller(w, r).Trust
	for _, t := range list {
		shown := TrustedBrowser{
			ID: t.ID, Name: s.device(b.Locale, t.UserAgent),
			Used: s.moment(b.Locale, t.UsedAt), Until: s.moment(b.Locale, t.ExpiresAt),
		}
		shown.Here = yes(t.Has(cookie))
		b.Account.Browsers = append(b.Account.Browsers, shown)
	}
	return err
}

// offerTrust adds the box with which the owner trusts this browser. An
// authenticator app is needed for it: recovery codes are for a loss.
func (s *Screens) offerTrust(b *Boot, ticked string) {
	if s.Settings.Trust != "" && b.MFA.Way == form.WayApp {
		b.MFA.Trust, b.MFA.Trusting = yes(true), ticked
	}
}

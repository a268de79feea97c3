package screens

import (
	"net/http"

	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// passkeysPage is the page of the passkeys.
func (s *Screens) passkeysPage() page {
	return s.ownPage(section{
		screen: ScreenAccountPasskeys, path: pages.Passkeys, prove: true, fill: s.fillPasskeys,
		says:  []string{form.PasskeyAdded, form.PasskeyRenamed, form.PasskeyRemoved},
		forms: []pageForm{post("/rename", s.Actions.RenamePasskey, keepName), post("/remove", s.Actions.RemovePasskey, nil)},
	})
}

// relatedOrigins tells browsers which other origins may use the passkeys of this
// host (WebAuthn 5.11).
func (s *Screens) relatedOrigins(w http.ResponseWriter, _ *http.Request) error {
	return server.WriteJSON(w, http.StatusOK, struct {
		Origins []string `json:"origins"`
	}{append([]string{s.Actions.Targets.Self}, s.Related...)})
}

// fillPasskeys adds the passkeys of the account.
func (s *Screens) fillPasskeys(_ http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	v, err := s.Owner.OwnPasskeys(r.Context(), found)
	for _, p := range v.List {
		shown := Passkey{
			ID: p.ID, Name: p.Name, Typed: p.Name, Credential: secret.Encode(p.Credential),
			Added: s.moment(b.Locale, p.CreatedAt), Used: s.used(b.Locale, p.CreatedAt, p.UsedAt),
		}
		if s.Owner.PasskeyWorks(p) {
			shown.Last = yes(v.Last)
		} else {
			shown.Other = p.Host
		}
		b.Passkeys.List = append(b.Passkeys.List, shown)
	}
	b.Passkeys.Full, b.Passkeys.Alone = yes(len(v.List) >= passkey.Most), yes(v.Alone)
	b.showPasskeyUser(v.Host, v.Handle)
	return err
}

// keepName puts the typed name back into the field of its passkey.
func keepName(in form.RenamePasskey, b *Boot) {
	for i, p := range b.Passkeys.List {
		if p.ID == in.ID {
			b.Passkeys.List[i].Typed = in.Name
		}
	}
}

// fillPasskeyUser adds how authenticators know the account. The script of a page
// tells them what has changed.
func (s *Screens) fillPasskeyUser(r *http.Request, found session.Found, b *Boot) error {
	host, handle, err := s.Owner.PasskeyUser(r.Context(), found.User.ID)
	b.showPasskeyUser(host, handle)
	return err
}

func (b *Boot) showPasskeyUser(host string, handle []byte) {
	if host != "" {
		b.Passkeys.Host, b.Passkeys.User = host, secret.Encode(handle)
	}
}

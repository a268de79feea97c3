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

// mountPasskeys registers what the page of the passkeys does without script, and
// the list of related origins. It returns the page.
func (s *Screens) mountPasskeys(m *server.Mux) section {
	p := section{
		screen: form.ScreenAccountPasskeys, path: pages.Passkeys, prove: true, closes: true, fill: s.fillPasskeys,
		says: []string{form.PasskeyAdded, form.PasskeyRenamed, form.PasskeyRemoved},
	}
	m.Handle("GET "+pages.PasskeyOffer, s.passkeyOffer)
	m.Handle("POST "+pages.PasskeyOffer, s.postPasskeyOffer)
	m.Handle("POST "+p.path+"/rename", postOwn(s, p, s.Actions.RenamePasskey, keepName))
	m.Handle("POST "+p.path+"/remove", postOwn(s, p, s.Actions.RemovePasskey, nil))
	if len(s.Related) > 0 {
		m.Handle("GET /.well-known/webauthn", s.relatedOrigins)
	}
	return p
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
	v, err := s.Actions.Flows.OwnPasskeys(r.Context(), found)
	for _, p := range v.List {
		shown := Passkey{
			ID: p.ID, Name: p.Name, Typed: p.Name, Credential: secret.Encode(p.Credential),
			Added: s.moment(b.Locale, p.CreatedAt), Used: s.moment(b.Locale, p.UsedAt),
		}
		if s.Actions.Flows.PasskeyWorks(p) {
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
	host, handle, err := s.Actions.Flows.PasskeyUser(r.Context(), found.User.ID)
	b.showPasskeyUser(host, handle)
	return err
}

func (b *Boot) showPasskeyUser(host string, handle []byte) {
	if host != "" {
		b.Passkeys.Host, b.Passkeys.User = host, secret.Encode(handle)
	}
}

package admin

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/server/form"
)

// AdminPerson is a person with everything that is known for support. It has no secret.
type AdminPerson struct {
	Account   AdminRow        `json:"account"`
	Password  bool            `json:"password"` // whether there is one
	Locale    string          `json:"locale"`
	Terms     string          `json:"terms"` // version that was accepted last
	Addresses []AdminAddress  `json:"addresses"`
	Sessions  []AdminSession  `json:"sessions"`
	Factors   []AdminFactor   `json:"factors"`
	Passkeys  []AdminPasskey  `json:"passkeys"`
	Codes     int             `json:"recovery_codes"`
	Browsers  []AdminBrowser  `json:"browsers"`
	Providers []AdminProvider `json:"providers"`
	Apps      []AdminApp      `json:"apps"`
	Timeline  []AdminMoment   `json:"timeline"`
}

// The parts of a person.
type (
	AdminAddress struct {
		Address string      `json:"address"`
		Use     string      `json:"use"`
		Added   form.Moment `json:"added_at"`
		Until   form.Moment `json:"until,omitempty"` // if the account only keeps it
	}
	AdminSession struct {
		ID        string      `json:"id"`
		Browser   string      `json:"browser"`
		Network   string      `json:"network"`
		Place     string      `json:"place"`
		Methods   []string    `json:"methods"`
		CreatedAt form.Moment `json:"created_at"`
		SeenAt    form.Moment `json:"seen_at"`
	}
	AdminFactor struct {
		ID        string      `json:"id"`
		Kind      string      `json:"kind"`
		CreatedAt form.Moment `json:"created_at"`
		UsedAt    form.Moment `json:"used_at"`
	}
	AdminPasskey struct {
		ID        string      `json:"id"`
		Name      string      `json:"name"`
		Model     string      `json:"model"`
		CreatedAt form.Moment `json:"created_at"`
		UsedAt    form.Moment `json:"used_at"`
	}
	AdminBrowser struct {
		ID        string      `json:"id"`
		Browser   string      `json:"browser"`
		CreatedAt form.Moment `json:"created_at"`
		UsedAt    form.Moment `json:"used_at"`
	}
	AdminProvider struct {
		ID    string      `json:"id"`
		Name  string      `json:"name"`
		Since form.Moment `json:"since"`
	}
	AdminApp struct {
		ID     string      `json:"id"`
		Name   string      `json:"name"`
		Scopes []string    `json:"scopes"`
		Since  form.Moment `json:"since"`
	}
	// AdminMoment is a line of the timeline, the oldest first.
	AdminMoment struct {
		At     form.Moment `json:"at"`
		Kind   string      `json:"kind" enum:"account address email event provider session limit"`
		What   string      `json:"what"`   // a stable word
		Detail string      `json:"detail"` // words, with text from outside
	}
)

func (a *Admin) person(r *http.Request) (AdminPerson, error) {
	p, err := a.Operator.Person(r.Context(), r.PathValue("id"))
	if err != nil {
		return AdminPerson{}, err
	}
	shown := AdminPerson{
		Account: rowOf(*p.Account), Password: p.Account.Password != "", Locale: p.Account.Locale, Terms: p.Account.Terms.Version, Codes: p.Codes,
		Addresses: []AdminAddress{}, Sessions: []AdminSession{}, Factors: []AdminFactor{}, Passkeys: []AdminPasskey{},
		Browsers: []AdminBrowser{}, Providers: []AdminProvider{}, Apps: []AdminApp{}, Timeline: timelineOf(p.Timeline),
	}
	for _, o := range p.Addresses {
		each := AdminAddress{Address: o.Address.Mail, Use: string(o.Use), Added: form.MomentOf(o.AddedAt)}
		if !o.Own() {
			each.Until = form.MomentOf(o.Until)
		}
		shown.Addresses = append(shown.Addresses, each)
	}
	for _, s := range p.Sessions {
		shown.Sessions = append(shown.Sessions, AdminSession{
			ID: s.ID, Browser: a.Describe(s.UserAgent), Network: s.Peer, Place: a.Place(s.Peer, "en"), Methods: append([]string{}, s.Methods...),
			CreatedAt: form.MomentOf(s.CreatedAt), SeenAt: form.MomentOf(s.LastSeenAt),
		})
	}
	for _, f := range p.Factors {
		shown.Factors = append(shown.Factors, AdminFactor{f.ID, string(f.Kind), form.MomentOf(f.CreatedAt), form.MomentOf(f.UsedAt)})
	}
	for _, k := range p.Passkeys {
		shown.Passkeys = append(shown.Passkeys, AdminPasskey{k.ID, k.Name, passkey.ModelName(k.Model), form.MomentOf(k.CreatedAt), form.MomentOf(k.UsedAt)})
	}
	for _, b := range p.Browsers {
		shown.Browsers = append(shown.Browsers, AdminBrowser{b.ID, a.Describe(b.UserAgent), form.MomentOf(b.CreatedAt), form.MomentOf(b.UsedAt)})
	}
	for _, l := range p.Providers {
		shown.Providers = append(shown.Providers, AdminProvider{l.ID, l.Name, form.MomentOf(l.Since)})
	}
	for _, app := range p.Apps {
		shown.Apps = append(shown.Apps, AdminApp{app.ID, app.Name, append([]string{}, app.Scopes...), form.MomentOf(app.Since)})
	}
	return shown, nil
}

func timelineOf(list []flow.Moment) []AdminMoment {
	all := make([]AdminMoment, 0, len(list))
	for _, m := range list {
		all = append(all, AdminMoment{form.MomentOf(m.At), m.Kind, m.What, m.Detail})
	}
	return all
}

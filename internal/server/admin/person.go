package admin

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/passkey"
	"portico/internal/server/form"
	"portico/internal/session"
	"portico/internal/trust"
)

// AdminPerson is a person with everything that is known for support. It has no secret.
type AdminPerson struct {
	ID        string          `json:"id"`
	Address   string          `json:"address"`
	Unproven  bool            `json:"unproven"` // nobody has proven the address: the next sign-in asks for a mailed code
	Name      string          `json:"name"`
	State     string          `json:"state" enum:"active disabled leaving waiting"`
	Roles     []string        `json:"roles"`
	Password  bool            `json:"password"` // whether there is one
	Language  string          `json:"language"`
	Claims    string          `json:"claims"` // the JSON object for apps, "" for none
	CreatedAt form.Moment     `json:"created_at"`
	SeenAt    form.Moment     `json:"seen_at" empty:"true"`
	EndsAt    form.Moment     `json:"ends_at" empty:"true"`   // when the account ends, "" for never
	ErasedAt  form.Moment     `json:"erased_at" empty:"true"` // when the account is to be erased, "" if it is not
	Addresses []AdminAddress  `json:"addresses"`
	Sessions  []AdminSession  `json:"sessions"`
	Factors   []AdminWay      `json:"factors"`
	Passkeys  []AdminWay      `json:"passkeys"`
	Codes     int             `json:"recovery_codes"`
	Browsers  []AdminBrowser  `json:"browsers"`
	Tokens    []AdminToken    `json:"tokens"`
	Providers []AdminProvider `json:"providers"`
	Apps      []AdminApp      `json:"apps"`
	Limits    []AdminLimit    `json:"limits"`
	Emails    []AdminEmail    `json:"emails"`
	Refusing  []AdminRefusal  `json:"refusing"`
	Events    []AdminEvent    `json:"events"` // newest first
	// MoreEvents says that the record has older ones.
	MoreEvents bool `json:"more_events,omitempty"`
}

// The parts of a person.
type (
	AdminAddress struct {
		Address string      `json:"address"`
		Use     string      `json:"use"`
		Added   form.Moment `json:"added_at"`
		Until   form.Moment `json:"until" empty:"true"` // if the account only keeps it
	}
	AdminSession struct {
		ID        string      `json:"id"`
		Browser   string      `json:"browser"`
		Network   string      `json:"network"`
		Place     string      `json:"place"`
		Methods   []string    `json:"methods"`
		CreatedAt form.Moment `json:"created_at"`
		SeenAt    form.Moment `json:"seen_at"`
		Current   bool        `json:"current"` // of the admin who asks
	}
	AdminWay struct {
		ID        string      `json:"id"`
		Name      string      `json:"name"`
		CreatedAt form.Moment `json:"created_at"`
		UsedAt    form.Moment `json:"used_at"`
	}
	AdminBrowser struct {
		ID        string      `json:"id"`
		Browser   string      `json:"browser"`
		CreatedAt form.Moment `json:"created_at"`
		EndsAt    form.Moment `json:"ends_at"`
	}
	AdminToken struct {
		ID     string      `json:"id"`
		Name   string      `json:"name"`
		App    string      `json:"app"`
		Roles  []string    `json:"roles"`
		UsedAt form.Moment `json:"used_at,omitempty"`
		EndsAt form.Moment `json:"ends_at"`
	}
	AdminProvider struct {
		ID        string      `json:"id"`
		Name      string      `json:"name"`
		Subject   string      `json:"subject"`
		CreatedAt form.Moment `json:"created_at"`
	}
	AdminApp struct {
		ID        string      `json:"id"`
		Name      string      `json:"name"`
		Scopes    []string    `json:"scopes"`
		CreatedAt form.Moment `json:"created_at"`
	}
	AdminLimit struct {
		Name    string      `json:"name"`
		Words   string      `json:"words"`
		Used    int         `json:"used"`
		Count   int         `json:"count"`
		Refuses bool        `json:"refuses"` // otherwise it only counts, or holds back emails
		EndsAt  form.Moment `json:"ends_at"`
	}
	AdminEmail struct {
		ID       string      `json:"id"`
		Template string      `json:"template"`
		State    string      `json:"state"`
		Answer   string      `json:"answer"` // of the mail server
		AskedAt  form.Moment `json:"asked_at"`
		At       form.Moment `json:"at"`
		Again    bool        `json:"again"` // whether it can be sent again
	}
	// AdminRefusal is a rule that asks for a role which the person does not have.
	AdminRefusal struct {
		Of     string `json:"of"` // the app or the OpenID client
		Rule   string `json:"rule"`
		Source string `json:"source"`
	}
	AdminEvent struct {
		ID        string      `json:"id"`
		At        form.Moment `json:"at"`
		Kind      string      `json:"kind" enum:"event account"`
		What      string      `json:"what"` // a stable word
		Words     string      `json:"words"`
		Actor     AdminActor  `json:"actor"`
		Detail    string      `json:"detail"`
		Network   string      `json:"network"`
		Browser   string      `json:"browser"`
		RequestID string      `json:"request_id"`
	}
)

func (a *Admin) person(r *http.Request, by flow.Actor) (AdminPerson, error) {
	p, err := a.Operator.Person(r.Context(), r.PathValue("id"))
	if err != nil {
		return AdminPerson{}, err
	}
	known, err := a.Operator.Known(r.Context(), p.Facts)
	if err != nil {
		return AdminPerson{}, err
	}
	shown := AdminPerson{
		ID: p.Account.ID, Address: p.Account.Address.Mail, Unproven: p.Unproven, Name: p.Account.Name, State: string(p.Account.State), Roles: filled(p.Account.Roles),
		Password: p.Account.Password != "", Language: p.Account.Locale, Claims: indented(p.Account.Claims), Codes: p.Codes,
		CreatedAt: form.MomentOf(p.Account.CreatedAt), SeenAt: form.MomentOf(p.SeenAt), EndsAt: form.MomentOf(p.Account.EndsAt), ErasedAt: form.MomentOf(p.Leaves.EraseAt), Refusing: a.Refusing(p.Account.Roles), Events: a.eventsOf(p, known), MoreEvents: p.MoreFacts,
	}
	shown.Addresses = each(p.Addresses, func(o account.Other) AdminAddress {
		address := AdminAddress{Address: o.Address.Mail, Use: string(o.Use), Added: form.MomentOf(o.AddedAt)}
		if !o.Own() {
			address.Until = form.MomentOf(o.Until)
		}
		return address
	})
	shown.Sessions = each(p.Sessions, func(s session.Session) AdminSession {
		return AdminSession{
			s.ID, a.Describe(s.UserAgent), s.Peer, a.Place(s.Peer, "en"), filled(s.Methods), form.MomentOf(s.CreatedAt), form.MomentOf(s.LastSeenAt), by.Uses(s.ID),
		}
	})
	shown.Factors = each(p.Factors, func(f factor.Factor) AdminWay {
		return AdminWay{f.ID, "Authenticator app", form.MomentOf(f.CreatedAt), form.MomentOf(f.UsedAt)}
	})
	shown.Passkeys = each(p.Passkeys, func(k passkey.Passkey) AdminWay {
		return AdminWay{k.ID, cmp.Or(k.Name, passkey.ModelName(k.Model)), form.MomentOf(k.CreatedAt), form.MomentOf(k.UsedAt)}
	})
	shown.Browsers = each(p.Browsers, func(b trust.Browser) AdminBrowser {
		return AdminBrowser{b.ID, a.Describe(b.UserAgent), form.MomentOf(b.CreatedAt), form.MomentOf(b.ExpiresAt)}
	})
	shown.Tokens = each(p.Tokens, func(k apikey.Personal) AdminToken {
		return AdminToken{k.ID, k.Name, k.App, filled(k.Roles), form.MomentOf(k.UsedAt), form.MomentOf(k.EndsAt)}
	})
	shown.Providers = each(p.Identities, func(i account.Identity) AdminProvider {
		return AdminProvider{i.Provider, i.Provider, i.Subject, form.MomentOf(i.CreatedAt)}
	})
	shown.Apps = each(p.Apps, func(app flow.App) AdminApp {
		return AdminApp{app.ID, app.Name, filled(app.Scopes), form.MomentOf(app.Since)}
	})
	shown.Limits = each(p.Limits, func(l flow.Standing) AdminLimit {
		return AdminLimit{l.Name, l.Effect, l.Used, l.Count, l.Refuses, form.MomentOf(l.EndsAt)}
	})
	shown.Emails = each(p.Emails, func(o outbox.Outcome) AdminEmail {
		return AdminEmail{o.ID, o.Template, string(o.State), o.Answer, form.MomentOf(o.AskedAt), form.MomentOf(o.At), p.Again[o.ID]}
	})
	return shown, nil
}

// eventsOf returns what happened to a person, the newest first. It begins with the making of
// the account, also when the record of it is gone.
func (a *Admin) eventsOf(p flow.Person, known flow.Named) []AdminEvent {
	events := each(p.Facts, func(f audit.Fact) AdminEvent {
		return AdminEvent{
			f.ID, form.MomentOf(f.At), "event", string(f.Name), f.Name.Words(), actorOf(f, known), known.DetailOf(f), f.Peer, a.Describe(f.UserAgent), f.RequestID,
		}
	})
	if slices.ContainsFunc(p.Facts, func(f audit.Fact) bool { return f.Name == audit.SignedUp || f.Name == audit.AccountCreated }) {
		return events
	}
	return append(events, AdminEvent{At: form.MomentOf(p.Account.CreatedAt), Kind: "account", What: "created", Words: "The account was made"})
}

// each returns what fn makes of each item, never nil.
func each[T, Out any](list []T, fn func(T) Out) []Out {
	all := make([]Out, 0, len(list))
	for _, item := range list {
		all = append(all, fn(item))
	}
	return all
}

// filled returns a list that is never nil.
func filled(list []string) []string { return append([]string{}, list...) }

// indented returns a JSON text on several lines. Its numbers and its order stay.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

package app

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/farewell"
	"portico/internal/flow"
	"portico/internal/legacy"
	"portico/internal/origin"
	"portico/internal/pages"
	"portico/internal/passkey"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/server/gateway"
	"portico/internal/session"
	"portico/internal/signupask"
	"portico/internal/store"
	"portico/internal/webhook"
)

// live is everything that is built from settings that can change while Portico
// serves. A reload builds a new one and replaces the old one whole. A request
// keeps the one with which it began.
type live struct {
	parts
	flow.All
	sessions  *session.Keeper
	passwords *password.Service
	legacy    *legacy.Keeper    // asks the former system; nil without one
	signUpAsk *signupask.Keeper // asks the app about sign-ups; nil if it is not asked
	farewell  *farewell.Sender  // tells OpenID clients about ended sessions
	handlers                    // set by Run

	replaced context.Context // ends when another one is in its place; set by Run
	retire   context.CancelFunc
}

// build builds everything but the handlers. before is the one that is replaced,
// or nil. It shares what holds state: caches, counters, slots for hashing. Settings cannot
// make it fail, since prepare has taken them.
func (a *App) build(p *parts, before *live) (l *live, err error) {
	l = &live{parts: *p}
	cfg := l.config
	if before == nil {
		l.sessions = session.NewKeeper(session.Config{
			Clock: a.clock, Idle: cfg.Session.Idle, Absolute: cfg.Session.Absolute, CacheMax: cacheMax,
		})
	} else {
		l.keep(before.parts)
		l.sessions = before.sessions.With(cfg.Session.Idle, cfg.Session.Absolute)
	}
	if l.passwords, err = a.hashing.With(l.policy, []string{"Portico", cfg.Brand.Name, publicURL(cfg).Hostname()}); err != nil {
		return nil, err
	}
	was := cmp.Or(before, &live{})
	l.legacy, l.signUpAsk = a.makeLegacy(l.parts, was), a.makeSignUpAsk(l.parts, was)
	keeper, err := passkeys(cfg, a.key, a.clock)
	if err != nil {
		return nil, err
	}
	made := flow.Config{
		Store: unit[flow.Tx]{a.Store, func(tx *store.Tx) flow.Tx { return tx }},
		Clock: a.clock, Key: a.key, Passwords: l.passwords, Sessions: l.sessions, Providers: l.providers, Passkeys: keeper, Outbox: a.Outbox,
		Events: webhook.NewQueue(l.hooks, a.clock, a.events),
		Keys:   a.Keys, Clients: l.clients, Asserted: l.asserted, Documents: l.documents, Legacy: l.legacy, SignUpAsk: l.signUpAsk,
		Settings: flowSettings(cfg, l.catalogue.Of),
	}
	if before != nil {
		made.Before = &before.All
	}
	l.All = flow.New(made)
	l.farewell = a.newFarewell(l)
	return l, nil
}

// flowSettings returns the settings that the steps read. locale tells the language of a tag.
func flowSettings(cfg config.Config, locale func(tag string) string) flow.Settings {
	public := publicURL(cfg)
	return flow.Settings{
		Guests: cfg.OpenID.ClientDocuments, Registers: cfg.OpenID.Registration, Resources: tokenResources(cfg), Audiences: audiences(cfg), TokenApps: tokenApps(cfg),
		SignUp: flow.SignUpMode(cfg.SignUp.Mode), Domains: cfg.SignUp.Domains, Names: flow.NameRule(cfg.SignUp.Name), ByCode: cfg.SignIn.Code,
		Trust: cfg.MFA.Trust, Require: require(cfg.MFA), Terms: cfg.Legal.TermsVersion,
		Locale: locale, PublicURL: public.String(), Site: cfg.Brand.Name,
		Targets: flow.Targets{Fallback: fallback(cfg), Self: origin.Of(public), Origins: returnOrigins(cfg)},
	}
}

// keep reuses what has not changed since before: the providers and the keys and documents of OpenID clients, all as they
// were loaded, and the database of places, so that it is not in memory twice.
func (p *parts) keep(before parts) {
	if reflect.DeepEqual(p.config.Providers, before.config.Providers) {
		p.client, p.providers = before.client, before.providers
	}
	now, _ := clientKeys(p.config)
	then, _ := clientKeys(before.config)
	if reflect.DeepEqual(now, then) {
		p.asserted = before.asserted
	}
	if reflect.DeepEqual(p.config.OpenID, before.config.OpenID) {
		p.documents = before.documents
	}
	if p.places.Sum() == before.places.Sum() {
		p.places = before.places
	}
}

// require returns who needs a second factor.
func require(cfg config.MFA) flow.Require {
	r := flow.Require{Grace: cfg.Grace}
	for _, who := range cfg.Require {
		if role, ok := strings.CutPrefix(who, "role:"); ok {
			r.Roles = append(r.Roles, role)
		} else {
			r.All = true
		}
	}
	return r
}

// passkeys returns nil if there are none.
func passkeys(cfg config.Config, key *secret.Key, c clock.Clock) (*passkey.Keeper, error) {
	if !cfg.Passkeys {
		return nil, nil
	}
	return passkey.NewKeeper(passkey.Config{Key: key, Clock: c, Public: publicURL(cfg), Site: cfg.Brand.Name, Related: cfg.PasskeyOrigins})
}

// fallback returns the return target for requests without one: return_default,
// else the app at the root of the public host, else the account page.
func fallback(cfg config.Config) string {
	if cfg.ReturnDefault == "" && atRoot(cfg) {
		return "/"
	}
	return cmp.Or(cfg.ReturnDefault, pages.Account)
}

// close releases what next does not use. next may be nil.
func (l *live) close(next *live) {
	var gate *gateway.Gateway
	if next != nil {
		gate = next.gateway
	}
	l.gateway.Close(gate)
	if next == nil || next.client != l.client {
		l.client.HTTP().CloseIdleConnections()
	}
	if l.mailer != nil {
		l.mailer.Close()
	}
	l.farewell.Close()
	l.hooked.Close()
	if next == nil || next.legacy != l.legacy {
		l.legacy.Stop()
	}
	if l.signUpAsk != nil {
		l.signUpAsk.Client.Close()
	}
	if next == nil || next.asserted != l.asserted {
		l.asserted.Close()
	}
	if l.documents != nil && (next == nil || next.documents != l.documents) {
		l.documents.Close()
	}
}

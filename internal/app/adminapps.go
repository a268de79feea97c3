package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"portico/internal/claim"
	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/server/admin"
	"portico/internal/server/form"
)

// adminApps is what the place Apps shows. The ids of apps have the prefix, so that one is never
// taken for a client.
type adminApps struct {
	config  config.Config
	clients openid.Clients
	desk    *flow.Operator
	sub     func(ctx context.Context, client openid.Client, accountID string) (string, error) // what a client calls a user
	clock   clock.Clock
}

// appPrefix begins the id of an app. No client id has this sign, and a path needs no escape for it.
const appPrefix = "app~"

// List returns the apps and the clients of the settings, and then those that have registered
// themselves.
func (s adminApps) List(ctx context.Context) ([]admin.AdminListedApp, error) {
	all := []admin.AdminListedApp{}
	for _, a := range s.config.Served() {
		key := []string{a.Key}
		if a.Key == "" {
			key = []string{"upstream", "rules", "headers", "extra_claims", "audience", "paths", "access_tokens", "tokens"}
		}
		source := s.config.Source(a.Setting("upstream", -1))
		if a.Key != "" {
			source = s.config.Source(a.Key)
		}
		all = append(all, admin.AdminListedApp{
			ID: appPrefix + a.Name, Kind: "app", Name: a.Name, Addresses: []string{publicURL(s.config).Scheme + "://" + a.Host + a.Path},
			Rules: a.Rules, Claims: filled(a.ExtraClaims), Source: source, Block: s.config.Block(key),
		})
	}
	for _, c := range s.config.Clients {
		all = append(all, admin.AdminListedApp{
			ID: c.ID, Kind: "client", Name: c.Name, Addresses: filled(c.RedirectURIs), Rules: filled(c.Rules), Claims: filled(c.ExtraClaims),
			Source: s.config.Source(c.Key), Block: s.config.Block([]string{c.Key}),
		})
	}
	registered, err := s.desk.Registered(ctx)
	for _, r := range registered {
		var told openid.Registration
		if bad := json.Unmarshal([]byte(r.Metadata), &told); err == nil {
			err = bad
		}
		all = append(all, admin.AdminListedApp{
			ID: r.ID, Kind: "registered", Name: openid.RegisteredHost(r.ID), Addresses: filled(told.RedirectURIs), Rules: []string{}, Claims: []string{},
			Block: blockOf(told), CreatedAt: form.MomentOf(r.CreatedAt), EndsAt: form.MomentOf(r.EndsAt),
		})
	}
	return all, err
}

// blockOf returns the settings of a client like one that has registered itself.
func blockOf(told openid.Registration) string {
	proof := `secret_file = "/etc/portico/app.secret"`
	if told.Method == "none" {
		proof = "public = true"
	} else if told.KeysURI != "" {
		proof = "jwks_uri = " + strconv.Quote(told.KeysURI)
	}
	quoted := func(texts []string) string {
		var all []string
		for _, text := range texts {
			all = append(all, strconv.Quote(text))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return "[[client]]\nid = \"app\"\n" + proof + "\nredirect_uris = " + quoted(told.RedirectURIs) + "\nscopes = " + quoted(strings.Fields(told.Scope)) + "\n"
}

func filled(texts []string) []string { return append([]string{}, texts...) }

// Explain says whether a person may open an app and why, and which claims the app gets. With a
// URL, it is about this URL.
//
// Faults: flow.NoApp.
func (s adminApps) Explain(ctx context.Context, id, target string, p flow.Person) (admin.AdminExplained, error) {
	now := s.clock.Now()
	who := &rule.User{Roles: p.Account.Roles, AuthenticatedAt: now}
	if len(p.Factors)+len(p.Passkeys) > 0 {
		who.StrongAt = now
	}
	e := admin.AdminExplained{Words: []string{}}
	if name, ok := strings.CutPrefix(id, appPrefix); ok {
		for _, a := range s.config.Served() {
			if a.Name == name {
				err := s.explainApp(&e, a, target, who, now)
				e.Claims = pretty(appClaims(a, p))
				return closed(e, p, now), err
			}
		}
		return e, flow.NoApp
	}
	client, ok := s.clients.Get(id)
	rules := client.RuleTexts
	if !ok {
		r, there, err := s.desk.RegisteredByID(ctx, id)
		if err != nil || !there {
			return e, cmp.Or[error](err, flow.NoApp)
		}
		if client, err = r.Client(nil, nil); err != nil {
			return e, err
		}
		e.Words = append(e.Words, "It has registered itself, and asks each user first.")
	}
	e.Allowed = len(rules) == 0
	if e.Allowed {
		e.Words = append(e.Words, "It has no rules: every user may open it.")
	}
	judge(&e, rules, who, now)
	u := p.Account
	sub, err := s.sub(ctx, client, u.ID)
	live := openid.Live{User: openid.User{ID: u.ID, Address: u.Address.Mail, Name: u.Name, Roles: u.Roles, Claims: u.Claims}, Grant: openid.Grant{Scopes: client.Scopes, Subject: sub}}
	e.Claims = pretty(live.UserClaims(client))
	return closed(e, p, now), err
}

// explainApp judges all rules of an app, or the one that decides about a URL.
func (s adminApps) explainApp(e *admin.AdminExplained, a config.App, target string, who *rule.User, now time.Time) error {
	if target == "" {
		judge(e, a.Rules, who, now)
		return nil
	}
	found, err := Explain(s.config, "GET", target)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	e.Words = append(e.Words, found.Words()...)
	if found.Decides > 0 && found.App == a.Name {
		verdict := found.Need.Judge(who, now)
		e.Allowed = verdict == rule.Pass
		e.Words = append(e.Words, verdicts[verdict])
	}
	return nil
}

// judge says of each rule whether it lets a person pass who has just given every proof that the
// account has. One suffices.
func judge(e *admin.AdminExplained, rules []string, who *rule.User, now time.Time) {
	for _, line := range rules {
		need, ok := rule.Written(line)
		if !ok {
			continue
		}
		verdict := need.Judge(who, now)
		e.Allowed = e.Allowed || verdict == rule.Pass
		e.Words = append(e.Words, fmt.Sprintf("%s: %s It needs %s.", line, verdicts[verdict], need.Words()))
	}
}

var verdicts = map[rule.Verdict]string{
	rule.Pass:         "The person passes.",
	rule.SecondFactor: "The person is refused, and has no second factor to give.",
	rule.NoRole:       "The person is refused for lack of the role.",
}

// closed adds why the account itself lets nobody in.
func closed(e admin.AdminExplained, p flow.Person, now time.Time) admin.AdminExplained {
	if p.Account.Open(now) && p.Leaves.EraseAt.IsZero() {
		return e
	}
	e.Allowed = false
	e.Words = append([]string{"Nobody can sign in to the account now: it is disabled, has ended, or is being deleted."}, e.Words...)
	return e
}

// appClaims returns the claims about a user in the token of an app behind Portico.
func appClaims(a config.App, p flow.Person) map[string]any {
	u := p.Account
	claims := map[string]any{"sub": u.ID, "email": u.Address.Mail, "email_verified": true, "name": u.Name, "roles": filled(u.Roles)}
	claim.Add(claims, a.ExtraClaims, u.Claims)
	return claims
}

func pretty(claims map[string]any) string {
	text, err := json.MarshalIndent(claims, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}

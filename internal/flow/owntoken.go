package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/ids"
	"portico/internal/rule"
	"portico/internal/secret"
	"portico/internal/session"
)

// TokenApp is an app that takes personal access tokens.
type TokenApp struct {
	Name  string
	Rules []string
}

// TokenAsk is what a user wants of a personal access token. The page chooses Nonce: the same form of the same
// session, sent again, gives the same token.
type TokenAsk struct {
	Nonce string
	Name  string
	App   string
	Role  string // one role, AllRoles, or "" for none
	Days  string
}

// AllRoles asks for all roles that the user has now. A token never gets one that is given later.
const AllRoles = "*"

// TokensView is the state of a user's personal access tokens, for their page.
type TokensView struct {
	List  []apikey.Personal
	Apps  []string // that the user may choose
	Roles []string
	Full  bool
}

// tokensOf lists the personal access tokens of an account that work, the newest first.
func (f *core) tokensOf(ctx context.Context, tx Tx, accountID string) ([]apikey.Personal, error) {
	list, err := tx.PersonalsOf(ctx, accountID, f.clock.Now())
	for i := range list {
		if seen := f.sessions.TokenSeen(list[i].ID); seen.After(list[i].UsedAt) {
			list[i].UsedAt = seen
		}
	}
	return list, err
}

// Tokens returns the tokens of the signed-in user, and what a new one may have.
func (f *Owner) Tokens(ctx context.Context, found session.Found) (v TokensView, err error) {
	v.List, err = read(ctx, f.store, func(tx Tx) ([]apikey.Personal, error) { return f.tokensOf(ctx, tx, found.User.ID) })
	v.Apps, v.Roles, v.Full = f.tokenApps(found.User.Roles), tokenRoles(found.User.Roles), len(v.List) >= apikey.MostPersonal
	return v, err
}

// tokenApps returns the apps that take tokens and have a rule which somebody with the roles meets.
func (f *core) tokenApps(roles []string) (names []string) {
	for _, a := range f.settings.TokenApps {
		if slices.ContainsFunc(a.Rules, func(line string) bool { return !rule.LacksRole(line, roles) }) {
			names = append(names, a.Name)
		}
	}
	return names
}

// tokenRoles returns the roles that a token may have. An app might trust the role of an admin with more than
// the pages of Portico, which no token opens.
func tokenRoles(held []string) []string {
	return slices.DeleteFunc(distinct(held), func(r string) bool { return r == RoleAdmin })
}

// MakeToken makes a personal access token and returns its text, which is not stored. The owner learns of it by
// email.
//
// Faults: as tokenFor; apikey.FullPersonal, apikey.UsedForm, ProofNeeded, Alarmed, session.Required.
func (f *Owner) MakeToken(ctx context.Context, c Caller, found session.Found, ask TokenAsk) (text string, err error) {
	if !secret.ValidToken(ask.Nonce) {
		return "", apikey.UsedForm
	}
	err = f.guarded(ctx, found, func(tx Tx, a cleared) error {
		p, err := f.tokenFor(a.Account, ask)
		if err != nil {
			return err
		}
		text = apikey.NewPersonal(f.tokens.Sum(a.ID, found.Session.ID, ask.Nonce, p.Name, p.App, ask.Role, ask.Days))
		hash := secret.Hash(text)
		if same, known, err := tx.PersonalByHash(ctx, hash); err != nil || known {
			if err == nil && (same.Version != a.Version || !f.clock.Now().Before(same.EndsAt)) {
				err = apikey.UsedForm
			}
			return err
		}
		have, err := tx.PersonalsOf(ctx, a.ID, f.clock.Now())
		if err == nil && len(have) >= apikey.MostPersonal {
			err = apikey.FullPersonal
		}
		if err != nil {
			return err
		}
		if err := tx.InsertPersonal(ctx, hash, p); err != nil {
			return err
		}
		return f.tellToken(ctx, tx, c, a.Account, p, audit.TokenMade)
	})
	return text, err
}

// tokenFor returns the token that a user asks for.
//
// Faults: the field name, apikey.NoApp, apikey.NoRole, apikey.NoDays.
func (f *core) tokenFor(a account.Account, ask TokenAsk) (p apikey.Personal, err error) {
	now := f.clock.Now()
	p = apikey.Personal{ID: ids.NewAt(now), AccountID: a.ID, Version: a.Version, App: ask.App, CreatedAt: now}
	var bad *fault.Field
	p.Name, bad = account.ParseName(ask.Name)
	held := tokenRoles(a.Roles)
	switch {
	case bad != nil:
		return p, fault.InvalidFields(*bad)
	case p.Name == "":
		return p, fault.InvalidFields(fault.Field{Name: "name", Code: apikey.CodePersonalName})
	case !slices.Contains(f.tokenApps(a.Roles), ask.App):
		return p, apikey.NoApp
	case ask.Role == AllRoles:
		p.Roles = held
	case slices.Contains(held, ask.Role):
		p.Roles = []string{ask.Role}
	case ask.Role != "":
		return p, apikey.NoRole
	}
	p.EndsAt, err = apikey.Days(ask.Days, now)
	return p, err
}

// EndToken ends a token of the signed-in user, and tells the owner. It does nothing for one that has ended.
//
// Faults: session.Required.
func (f *Owner) EndToken(ctx context.Context, c Caller, found session.Found, id string) error {
	return f.own(ctx, found, func(tx Tx, owner judged) error {
		all, err := tx.PersonalsOf(ctx, owner.ID, f.clock.Now())
		at := slices.IndexFunc(all, func(p apikey.Personal) bool { return p.ID == id })
		if err != nil || at < 0 {
			return err
		}
		if err := tx.EndPersonal(ctx, owner.ID, id, f.clock.Now()); err != nil {
			return err
		}
		if err := f.sessions.Changed(ctx, tx, owner.ID); err != nil {
			return err
		}
		return f.tellToken(ctx, tx, c, owner.Account, all[at], audit.TokenEnded)
	})
}

// tellToken records a change of a token, and tells the owner for which app it is.
func (f *core) tellToken(ctx context.Context, tx Tx, c Caller, a account.Account, p apikey.Personal, name audit.Name) error {
	change := fact(c, name, a.ID, p.App)
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	mail := inWords(a, change)
	mail.app = p.App
	return f.post(ctx, tx, c, mail)
}

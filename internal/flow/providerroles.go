package flow

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/federation"
)

// Each sign-in through a provider gives and takes the roles that the settings derive from what the
// provider says. The row of the identity has those that it has given, so that a role which was given
// by hand stays, and one that two identities give stays until neither does.

// identityOf returns the identity of a response that the provider was asked for at a time.
func identityOf(who federation.Identity, at time.Time) *identity {
	return &identity{Provider: who.Provider, Issuer: who.Issuer, Subject: who.Subject, Name: who.Name, Roles: who.Roles, SaidAt: at}
}

// granted is what the roles of an account are after a sign-in.
type granted struct {
	roles []string  // of the account
	held  []string  // those that the identity gives
	more  int       // how many others it would give, beyond maxRoles
	by    *identity // nil if nothing is to be stored
}

// foresees decides about the roles of a sign-in through a provider, and judges the sign-in with
// them: one of them may need a second factor. So may one of an identity that it joins.
func (f *core) foresees(ctx context.Context, tx Tx, c Caller, e *entry) (g granted, err error) {
	if e.through != nil {
		g, err = f.grantsOf(ctx, tx, e.account.Account, *e.through)
		if err != nil {
			return g, err
		}
		e.account.Roles = g.roles
	}
	_, d, _, ok, err := f.joining(ctx, tx, c, *e)
	if ok {
		e.gains = f.given(*d.Identity)
	}
	return g, err
}

// grantsOf decides about the roles of an account after a sign-in. What a provider said before the
// last decision, which may be that of an operator, counts no more. The last admin stays one until
// a sign-in after there is another.
func (f *core) grantsOf(ctx context.Context, tx Tx, a account.Account, i identity) (granted, error) {
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	own, elsewhere := account.Identity{}, []string(nil)
	for _, each := range linked {
		if each.Issuer == i.Issuer && each.Subject == i.Subject {
			own = each
		} else {
			elsewhere = append(elsewhere, each.Roles...)
		}
	}
	if err != nil || own.Issuer == "" || own.RolesAt.After(i.SaidAt) || len(own.Roles) == 0 && len(f.providers.RolesOf(i.Provider)) == 0 {
		return granted{roles: a.Roles}, err
	}
	given := f.given(i)
	g := granted{roles: without(a.Roles, without(own.Roles, slices.Concat(given, elsewhere))), by: &i}
	for _, role := range given {
		switch had := slices.Contains(g.roles, role); {
		case had && (slices.Contains(own.Roles, role) || slices.Contains(elsewhere, role)), !had && len(g.roles) < maxRoles:
			g.held, g.roles = append(g.held, role), append(g.roles, role)
		case !had:
			g.more++
		}
	}
	kept, err := f.keepsAdmin(ctx, tx, a, &g.roles)
	if kept {
		g.held = append(g.held, RoleAdmin)
	}
	g.roles = distinct(g.roles)
	return g, err
}

// keepsAdmin gives the last admin the role back that roles lack, and reports whether it did.
func (f *core) keepsAdmin(ctx context.Context, tx Tx, a account.Account, roles *[]string) (bool, error) {
	if slices.Contains(*roles, RoleAdmin) {
		return false, nil
	}
	err := f.notLast(ctx, tx, a)
	if !errors.Is(err, AdminLast) {
		return false, err
	}
	*roles = append(*roles, RoleAdmin)
	return true, nil
}

// grant stores a decision, with a record whose actor is the provider. It tells the owner, unless
// the account is new.
func (f *core) grant(ctx context.Context, tx Tx, c Caller, a judged, g granted, tell bool) error {
	if g.by == nil {
		return nil
	}
	if err := tx.UpdateIdentityRoles(ctx, g.by.Issuer, g.by.Subject, g.held, g.by.SaidAt); err != nil {
		return err
	}
	detail := g.roles
	if g.more > 0 {
		detail = append(slices.Clone(detail), strconv.Itoa(g.more)+" more")
	}
	change := fact(c, audit.RolesChanged, a.ID, strings.Join(detail, ","))
	change.Actor = audit.ByProvider(g.by.Provider)
	return f.storeRoles(ctx, tx, c, a, g.roles, change, tell)
}

// storeRoles stores other roles of an account, whose sessions have them from their next use.
func (f *core) storeRoles(ctx context.Context, tx Tx, c Caller, a judged, roles []string, change audit.Fact, tell bool) error {
	if slices.Equal(a.Roles, roles) {
		return nil
	}
	if err := tx.UpdateRoles(ctx, a.ID, roles); err != nil {
		return err
	}
	if err := f.sessions.Changed(ctx, tx, a.ID); err != nil {
		return err
	}
	if err := f.resigns(ctx, tx, a.Account, change); err != nil {
		return err
	}
	if !tell {
		return f.record.Add(ctx, tx, change)
	}
	return f.report(ctx, tx, c, a.Account, change)
}

// byHand makes roles of an account those of an operator: providers hold only what is in roles and
// not in given. A sign-in that began before a role was taken does not give it back.
func (f *Operator) byHand(ctx context.Context, tx Tx, a judged, roles, given []string) error {
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	taken := len(without(a.Roles, roles)) > 0
	for _, i := range linked {
		held := slices.DeleteFunc(slices.Clone(i.Roles), func(r string) bool { return slices.Contains(given, r) || !slices.Contains(roles, r) })
		if err == nil && (taken || len(held) < len(i.Roles)) {
			err = tx.UpdateIdentityRoles(ctx, i.Issuer, i.Subject, held, f.clock.Now())
		}
	}
	return err
}

// unlink removes the identities of an account at a provider with the roles that only they give. It
// reports whether there were any. The last admin stays one.
func (f *core) unlink(ctx context.Context, tx Tx, c Caller, a *cleared, provider string, change audit.Fact, tell bool) (bool, error) {
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	var gone, left []string
	for _, i := range linked {
		if i.Provider == provider {
			gone = append(gone, i.Roles...)
		} else {
			left = append(left, i.Roles...)
		}
	}
	if err != nil {
		return false, err
	}
	if ok, err := tx.DeleteIdentities(ctx, a.ID, provider); err != nil || !ok {
		return false, err
	}
	roles := without(a.Roles, without(gone, left))
	if _, err := f.keepsAdmin(ctx, tx, a.Account, &roles); err != nil {
		return false, err
	}
	roles = distinct(roles)
	change.Name, change.Detail = audit.RolesChanged, strings.Join(roles, ",")
	before := a.judged
	a.Roles = roles
	return true, f.storeRoles(ctx, tx, c, before, roles, change, tell)
}

// given returns the roles of an identity that the settings still give: its sign-in may have waited.
func (f *core) given(i identity) []string {
	gives := f.providers.RolesOf(i.Provider)
	return slices.DeleteFunc(slices.Clone(i.Roles), func(role string) bool { return !slices.Contains(gives, role) })
}

// without returns the items of a list that are not among others.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

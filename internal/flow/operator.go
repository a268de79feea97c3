package flow

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/password"
	"portico/internal/rule"
	"portico/internal/session"
)

// NoPassword means that an operator sets a password and gives none.
var NoPassword = fault.InvalidFields(fault.Field{Name: "password", Code: password.CodeRequired})

// CreateUser makes an account whose address the operator vouches for. Without a
// password the user sets one by "Forgot your password?".
//
// Faults: the fields email, name, role and password, account.Exists.
func (f *Operator) CreateUser(ctx context.Context, by Actor, email, name, chosen string, roles ...string) (account.Account, error) {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return account.Account{}, fault.InvalidFields(*bad)
	}
	name, bad = account.ParseName(name)
	if bad == nil {
		bad = badRole(roles)
	}
	if bad != nil {
		return account.Account{}, fault.InvalidFields(*bad)
	}
	hash, err := f.hashChosen(ctx, chosen, address.Mail)
	if err != nil {
		return account.Account{}, err
	}
	var a account.Account
	err = f.acts(ctx, by, func(tx Tx) error {
		if err := by.mayChange(roles); err != nil {
			return err
		}
		a, err = f.makeUser(ctx, tx, by, account.New{Address: address, Name: name, Password: hash, Roles: distinct(roles)})
		return err
	})
	return a, err
}

// makeUser is CreateUser in the transaction of its caller, which has judged its input.
func (f *Operator) makeUser(ctx context.Context, tx Tx, by Actor, n account.New) (account.Account, error) {
	a, err := f.accounts.Create(ctx, tx, n)
	if err != nil {
		return a, err
	}
	return a, f.record.Add(ctx, tx, by.fact(audit.AccountCreated, a.ID, strings.Join(a.Roles, ",")))
}

// hashChosen checks and hashes a password that an operator chose. It returns ""
// for "".
func (f *Operator) hashChosen(ctx context.Context, chosen, address string) (string, error) {
	if chosen == "" {
		return "", nil
	}
	return f.newHash(ctx, choice{chosen: chosen, confirm: chosen, address: address})
}

// User returns the account of an address, or account.MissingAddress.
func (f *Operator) User(ctx context.Context, email string) (account.Account, error) {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return account.Account{}, fault.InvalidFields(*bad)
	}
	var found *account.Account
	err := f.store.Read(ctx, func(tx Tx) (err error) {
		found, err = f.known(ctx, tx, address.Key)
		return err
	})
	switch {
	case err != nil:
		return account.Account{}, err
	case found == nil:
		return account.Account{}, account.MissingAddress
	}
	return *found, nil
}

// SetUserState enables or disables an account. Both end its sessions and pending
// flows, and notify the owner. Enabling takes an end away that has come, with a record and an email of its own. It approves an
// account that waits, also one that is to be erased. Such an account is not disabled, so that nobody enables it later
// without a decision. It does nothing if the account has the state. One that is to be erased has the state from before.
//
// Faults: Undecided, account.Missing, and as acts.
func (f *Operator) SetUserState(ctx context.Context, by Actor, id string, state account.State) error {
	change := f.change
	if state != account.Active {
		change = f.removing
	}
	return change(ctx, by, id, func(tx Tx, a cleared) error { return f.setState(ctx, tx, by, a, state, "") })
}

func (f *Operator) setState(ctx context.Context, tx Tx, by Actor, a cleared, state account.State, detail string) error {
	former, err := f.formerly(ctx, tx, a)
	if err != nil {
		return err
	}
	name, why := audit.AccountEnabled, session.Left // no session is left, only pending flows
	switch {
	case former == account.Waiting && state == account.Active:
		name = audit.AccountApproved
	case former == account.Waiting:
		return Undecided
	case state == account.DisabledByOperator:
		name, why = audit.AccountDisabled, session.Disabled
	}
	ended := state == account.Active && a.Ended(f.clock.Now())
	if former == state && a.State == state && !ended {
		return nil
	}
	if ended {
		if err := f.setEnd(ctx, tx, by, a, time.Time{}); err != nil {
			return err
		}
	}
	if err := tx.UpdateState(ctx, a.ID, state); err != nil {
		return err
	}
	if state == account.Active { // also one that its owner has closed
		if _, err := tx.DeleteDeparture(ctx, a.ID); err != nil {
			return err
		}
	}
	if err := f.endAll(ctx, tx, a.ID, "", why); err != nil {
		return err
	}
	change := by.fact(name, a.ID, detail)
	if err := f.resigns(ctx, tx, a.Account, change); err != nil {
		return err
	}
	if name != audit.AccountApproved {
		return f.report(ctx, tx, by.caller, a.Account, change)
	}
	if err := f.record.Add(ctx, tx, change); err != nil {
		return err
	}
	return f.post(ctx, tx, by.caller, email{template: mailApproved, owner: &a.Account})
}

// SetUserRoles replaces the roles of an account and notifies the owner. Its sessions
// continue and have the new roles from their next use, on every node. It does nothing
// if the account has these roles.
//
// Faults: the field role, account.Missing.
func (f *Operator) SetUserRoles(ctx context.Context, by Actor, id string, roles []string) error {
	return f.changeRoles(ctx, by, id, nil, func([]string) []string { return roles })
}

// ChangeUserRoles gives an account roles and takes others away, as SetUserRoles does. Its
// other roles stay. A role to take that the account does not have is not an error, and a provider that
// gave one of the given ones cannot take it anymore.
func (f *Operator) ChangeUserRoles(ctx context.Context, by Actor, id string, give, take []string) error {
	return f.changeRoles(ctx, by, id, give, func(has []string) []string {
		kept := slices.DeleteFunc(slices.Clone(has), func(r string) bool { return slices.Contains(take, r) })
		return append(kept, give...)
	})
}

// changeRoles gives an account the roles that next makes of its present ones. Those in given are
// given by hand from now on.
func (f *Operator) changeRoles(ctx context.Context, by Actor, id string, given []string, next func(has []string) []string) error {
	if bad := badRole(next(nil)); bad != nil { // wrong for every account
		return fault.InvalidFields(*bad)
	}
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		roles := distinct(next(a.Roles))
		if bad := badRole(roles); bad != nil {
			return fault.InvalidFields(*bad)
		}
		if !slices.Equal(a.Roles, roles) {
			if err := by.mayChange(roles); err != nil {
				return err
			}
		}
		if by.own(id) && !slices.Contains(roles, RoleAdmin) {
			return AdminSelf
		}
		if by.admin != nil && !slices.Contains(roles, RoleAdmin) {
			if err := f.notLast(ctx, tx, a.Account); err != nil {
				return err
			}
		}
		if err := f.byHand(ctx, tx, a.judged, roles, given); err != nil {
			return err
		}
		return f.storeRoles(ctx, tx, by.caller, a.judged, roles, by.fact(audit.RolesChanged, id, strings.Join(roles, ",")), true)
	})
}

// maxRoles bounds the size of headers and tokens.
const maxRoles = 32

func badRole(roles []string) *fault.Field {
	if len(roles) > maxRoles || slices.ContainsFunc(roles, func(r string) bool { return !rule.ValidRole(r) }) {
		return &fault.Field{Name: "role", Code: CodeRoleInvalid}
	}
	return nil
}

// distinct returns the sorted roles without duplicates.
func distinct(roles []string) []string {
	roles = slices.Clone(roles)
	slices.Sort(roles)
	return slices.Compact(roles)
}

// SetUserPassword sets a password, ends the sessions and notifies the owner.
func (f *Operator) SetUserPassword(ctx context.Context, by Actor, a account.Account, chosen string) error {
	if chosen == "" {
		return NoPassword
	}
	hash, err := f.hashChosen(ctx, chosen, a.Address.Mail)
	if err != nil {
		return err
	}
	return f.change(ctx, by, a.ID, func(tx Tx, a cleared) error {
		return f.replacePassword(ctx, tx, by.caller, a, hash, by.fact(audit.PasswordChanged, a.ID, ""))
	})
}

// Unlock resets the counts of attempts and emails of an address and its mailbox,
// with or without an account. Counts of a single browser or network are not
// stored by address, and expire.
func (f *Operator) Unlock(ctx context.Context, by Actor, email string) error {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return fault.InvalidFields(*bad)
	}
	return f.acts(ctx, by, func(tx Tx) error {
		known, err := f.known(ctx, tx, address.Key)
		if err != nil || known == nil {
			return errors.Join(err, f.clear(ctx, tx, addressAttempts(address.Key)...))
		}
		return f.unlock(ctx, tx, by, address.Key, *known)
	})
}

// UnlockUser is Unlock for the primary address of an account.
//
// Faults: account.Missing.
func (f *Operator) UnlockUser(ctx context.Context, by Actor, id string) error {
	return f.change(ctx, by, id, func(tx Tx, a cleared) error { return f.unlock(ctx, tx, by, a.Address.Key, a.Account) })
}

func (f *Operator) unlock(ctx context.Context, tx Tx, by Actor, key string, a account.Account) error {
	if err := f.clear(ctx, tx, addressAttempts(key)...); err != nil {
		return err
	}
	if err := f.clear(ctx, tx, factorAttempts(a)...); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, by.fact(audit.Unlocked, a.ID, ""))
}

// DeleteUser erases an account at once, and notifies its former owner.
func (f *Operator) DeleteUser(ctx context.Context, by Actor, id string) error {
	return f.removing(ctx, by, id, func(tx Tx, a cleared) error {
		erased := by.fact(audit.AccountDeleted, id, "")
		if err := f.post(ctx, tx, by.caller, inWords(a.Account, erased)); err != nil { // while its addresses are known
			return err
		}
		return f.erase(ctx, tx, erased)
	})
}

package flow

import (
	"context"
	"strconv"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/claim"
	"portico/internal/fault"
	"portico/internal/session"
)

// SetUserAddress gives an account another address, for which the operator vouches.
// It ends the account's sessions and pending flows, and notifies both addresses. It does
// nothing if the account has this address alone, in this spelling.
//
// Faults: the field email, account.Exists, account.Missing.
func (f *Operator) SetUserAddress(ctx context.Context, by Actor, id, email string) error {
	address, bad := account.ParseAddress(email, "email")
	if bad != nil {
		return fault.InvalidFields(*bad)
	}
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		others, err := tx.AddressesOf(ctx, id, f.clock.Now())
		if err != nil || a.Address == address && len(others) == 0 {
			return err
		}
		if err := tx.DropAddress(ctx, id, address.Key); err != nil { // so that it is told once
			return err
		}
		err = f.moveAddress(ctx, tx, by.caller, a, address, move{
			toOld: mailAddress, new: mailGiven, why: session.Operator, change: by.fact(audit.AddressChanged, id, ""), since: account.Always,
		})
		if err != nil {
			return err
		}
		if err := tx.EndUnproven(ctx, id); err != nil { // the operator vouches for the address
			return err
		}
		// The person who had the account until now has no claim to it: other and
		// former addresses and the links in earlier emails count no more.
		return tx.DropAddresses(ctx, id)
	})
}

// SetUserName sets the name of an account and notifies the owner. An empty name
// removes it. Its sessions continue and have the new name from their next use.
//
// Faults: the field name, account.Missing.
func (f *Operator) SetUserName(ctx context.Context, by Actor, id, typed string) error {
	name, bad := account.ParseName(typed)
	if bad != nil {
		return fault.InvalidFields(*bad)
	}
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		return f.rename(ctx, tx, by.caller, a.judged, name, by.fact(audit.NameChanged, id, ""))
	})
}

// SetUserClaims gives an account the JSON object that apps get claims from, "" for none, and
// notifies the owner. Its sessions continue and have it from their next use. The record does not
// say what it has. With before, nobody has changed the object since.
//
// Faults: the field claims, ClaimsChanged, account.Missing.
func (f *Operator) SetUserClaims(ctx context.Context, by Actor, id, typed, before string) error {
	text, bad := claim.Parse(typed)
	if bad != nil {
		params := map[string]string{"line": strconv.Itoa(bad.Line), "why": bad.Why}
		return fault.InvalidFields(fault.Field{Name: "claims", Code: CodeClaimsInvalid, Params: params})
	}
	was, bad := claim.Parse(before)
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		switch {
		case a.Claims == text:
			return nil
		case before != "" && (bad != nil || a.Claims != was):
			return ClaimsChanged
		}
		if err := tx.UpdateClaims(ctx, id, text); err != nil {
			return err
		}
		if err := f.sessions.Changed(ctx, tx, id); err != nil {
			return err
		}
		return f.report(ctx, tx, by.caller, a.Account, by.fact(audit.ClaimsChanged, id, ""))
	})
}

// RemoveUserPortrait removes the picture of an account and notifies the owner. It
// does nothing if there is none.
func (f *Operator) RemoveUserPortrait(ctx context.Context, by Actor, id string) error {
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		removed, err := tx.DeletePortrait(ctx, id)
		if err != nil || !removed {
			return err
		}
		fact := by.fact(audit.PortraitChanged, id, portraitRemoved)
		return f.portraitChanged(ctx, tx, by.caller, fact, email{template: mailNoPortrait, owner: &a.Account})
	})
}

// UnlinkUser removes the identities of an account at a provider, ends its sessions
// and pending flows, and notifies the owner. An owner who has no other way in can
// set a password through "Forgot your password?".
//
// Faults: NotLinked, account.Missing.
func (f *Operator) UnlinkUser(ctx context.Context, by Actor, id, provider string) error {
	return f.change(ctx, by, id, func(tx Tx, a cleared) error {
		if ok, err := f.unlink(ctx, tx, by.caller, &a, provider, by.fact(audit.RolesChanged, id, ""), true); err != nil {
			return err
		} else if !ok {
			return NotLinked
		}
		if err := tx.RaiseVersion(ctx, id); err != nil {
			return err
		}
		if err := f.endAll(ctx, tx, id, "", session.Operator); err != nil {
			return err
		}
		fact := by.fact(audit.ProviderRemoved, id, provider)
		if err := f.record.Add(ctx, tx, fact); err != nil {
			return err
		}
		return f.post(ctx, tx, by.caller, email{template: mailUnlinked, owner: &a.Account, provider: f.named(provider)["provider"]})
	})
}

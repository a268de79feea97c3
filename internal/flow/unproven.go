package flow

import (
	"context"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
)

// Accounts come from another system with addresses that nobody has proven. Whoever made such an account
// may be a stranger who typed the address of another person. So a sign-in to it proves the address
// too, by a code that is mailed after all other proofs: then the account stays as it is. A person who has proven the
// mailbox alone gets the account without what a stranger may have left there.

// asksForAddress reports whether nobody has proven the address of the account, and this sign-in has not either.
func (f *core) asksForAddress(ctx context.Context, tx Tx, e entry) (bool, error) {
	if e.provesAddress() {
		return false, nil
	}
	return tx.IsUnproven(ctx, e.account.ID)
}

// unprovenOf is IsUnproven of the account of a flow, if it has one. It costs the same without one.
func (f *core) unprovenOf(ctx context.Context, tx Tx, known *account.Account) (bool, error) {
	id := ""
	if known != nil {
		id = known.ID
	}
	return tx.IsUnproven(ctx, id)
}

func (e entry) provesAddress() bool {
	return slices.Contains(e.methods, byMailbox) || slices.Contains(e.methods, byOperatorLink)
}

// byMailbox is the proof of a user who has used a mailed code or link.
const byMailbox = "mail"

// askAddress mails the code that the sign-in lacks. It works in this browser alone, which has given the other proofs.
func (f *core) askAddress(ctx context.Context, tx Tx, c Caller, e entry) (Result, error) {
	value, fresh := browser(c)
	c.BrowserCookie = value
	p, d := e.pending()
	p.Kind = ByCode
	a := e.account.Account
	r, err := f.awaitProof(ctx, tx, c, p, a.Address, addressee{owner: &a, at: a.Address}, d)
	r.BrowserCookie = fresh
	return r, err
}

// completes reports whether the mailed code is the last proof of a sign-in that has given others.
func (p Pending) completes(d data) bool { return p.Kind == ByCode && len(d.Methods) > 0 }

// noteProven stores that the address of the account is proven, if it was not.
func (f *core) noteProven(ctx context.Context, tx Tx, c Caller, a cleared, detail string) error {
	if err := tx.EndUnproven(ctx, a.ID); err != nil {
		return err
	}
	return f.record.Add(ctx, tx, fact(c, audit.AddressProven, a.ID, detail))
}

// byMailboxAlone is the detail of a record of claim.
const byMailboxAlone = "mailbox"

// claim gives an account whose address nobody had proven to the owner of the mailbox: without its
// password, second factors, passkeys, identities and other addresses, and without the flows that others have
// begun. It has no sessions. The mailbox of another address, which may be the stranger's, does not prove the primary one.
//
// Faults: Overtaken.
func (f *Flows) claim(ctx context.Context, tx Tx, c Caller, p Pending, a *cleared) error {
	unproven, err := tx.IsUnproven(ctx, a.ID)
	if err != nil || !unproven {
		return err
	}
	if p.AddressKey != a.Address.Key {
		return Overtaken
	}
	lost, err := f.brought(ctx, tx, *a)
	if err != nil {
		return err
	}
	if _, err := removeFactors(ctx, tx, *a); err != nil {
		return err
	}
	linked, err := tx.IdentitiesOf(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, each := range linked {
		gone, err := tx.DeleteIdentities(ctx, a.ID, each.Provider)
		if err == nil && gone { // mayBring looks for the record
			err = f.record.Add(ctx, tx, fact(c, audit.ProviderRemoved, a.ID, each.Provider+","+byMailboxAlone))
		}
		if err != nil {
			return err
		}
	}
	if err := tx.DropAddresses(ctx, a.ID); err != nil {
		return err
	}
	if err := tx.RehashPassword(ctx, a.ID, ""); err != nil { // a higher version would end the recovery
		return err
	}
	if err := f.endFlows(ctx, tx, a); err != nil {
		return err
	}
	if p.Kind == ByCode && a.Password != "" { // a recovery ends with the email about the new one
		if err := f.post(ctx, tx, c, email{template: mailUnproven, owner: &a.Account}); err != nil {
			return err
		}
	}
	if err := f.noteProven(ctx, tx, c, *a, byMailboxAlone); err != nil || len(lost) == 0 {
		return err
	}
	return f.record.tell(ctx, tx, fact(c, audit.AddressProven, a.ID, byMailboxAlone), lost...)
}

// brought returns the events of what an account loses by claim. Identities have records of their own.
func (f *Flows) brought(ctx context.Context, tx Tx, a cleared) (lost []string, err error) {
	apps, err := tx.FactorsOf(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	codes, err := tx.RecoveryCodesOf(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	passkeys, err := tx.PasskeysOf(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	others, err := tx.AddressesOf(ctx, a.ID, f.clock.Now())
	for kind, had := range map[string]bool{
		"account.factors_changed": len(apps)+len(codes) > 0, "account.passkeys_changed": len(passkeys) > 0,
		"account.addresses_changed": len(others) > 0, "account.password_changed": a.Password != "",
	} {
		if had {
			lost = append(lost, kind)
		}
	}
	slices.Sort(lost)
	return lost, err
}

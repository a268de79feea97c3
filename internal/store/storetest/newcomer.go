package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/store"
)

type newcomers struct{ *bundle }

// newcomer has a value in every field.
func newcomer(number int) flow.Newcomer {
	n := full[flow.Newcomer](number)
	id := n.Account.ID
	n.Account.State, n.Account.Roles = account.Active, []string{"admin", "staff"}
	for i := range n.Others {
		n.Others[i].AccountID = id
	}
	for i := range n.Identities {
		n.Identities[i].AccountID, n.Identities[i].Issuer = id, "https://idp.test"
	}
	for i := range n.Factors {
		n.Factors[i].AccountID = id
	}
	for i := range n.Codes {
		n.Codes[i].AccountID = id
	}
	for i := range n.Passkeys {
		n.Passkeys[i].AccountID = id
	}
	n.Fact.AccountID = id
	return n
}

func (b newcomers) make(all ...flow.Newcomer) {
	b.write(func(tx *store.Tx) error { return tx.InsertNewcomers(b.Context(), all, moment()) })
}

func (b newcomers) InsertNewcomers_EveryField() {
	n := newcomer(1)
	b.make(n, newcomer(2))
	id := n.Account.ID
	b.equal("the account", b.account(id), n.Account)
	ctx := b.Context()
	b.equal("the others", list(b.bundle, func(tx *store.Tx) ([]account.Other, error) { return tx.AddressesOf(ctx, id, moment()) }), n.Others)
	b.equal("the identities", list(b.bundle, func(tx *store.Tx) ([]account.Identity, error) { return tx.IdentitiesOf(ctx, id) }), n.Identities)
	slices.Reverse(n.Factors) // the last used first
	slices.Reverse(n.Passkeys)
	b.equal("the factors", list(b.bundle, func(tx *store.Tx) ([]factor.Factor, error) { return tx.FactorsOf(ctx, id) }), n.Factors)
	b.equal("the passkeys", list(b.bundle, func(tx *store.Tx) ([]passkey.Passkey, error) { return tx.PasskeysOf(ctx, id) }), n.Passkeys)
	b.equal("the codes", list(b.bundle, func(tx *store.Tx) ([]factor.RecoveryCode, error) { return tx.RecoveryCodesOf(ctx, id) }), n.Codes)
	b.equal("the record", list(b.bundle, func(tx *store.Tx) ([]audit.Fact, error) { return tx.FactsOf(ctx, id, "", 9) }), []audit.Fact{n.Fact})
	b.equal("the end", list(b.bundle, func(tx *store.Tx) ([]string, error) { return tx.DueEnds(ctx, n.Account.EndsAt, 1) }), []string{id})
}

// The list of people has newcomers as if they had come one by one.
func (b newcomers) InsertNewcomers_AreListed() {
	var all []flow.Newcomer
	for i := range 123 {
		a := account.Account{ID: fmt.Sprintf("n%03d", i), State: account.Active, Roles: []string{"staff"}, Version: 1, CreatedAt: moment(), Name: fmt.Sprint("N", i)}
		a.Address.Mail = fmt.Sprintf("N%03d@x.test", i)
		a.Address.Key = strings.ToLower(a.Address.Mail)
		n := flow.Newcomer{Account: a, SeenAt: moment().Add(-time.Hour), Fact: audit.Fact{ID: a.ID}, Unproven: i%10 == 7}
		if i == 7 {
			n.Factors = []factor.Factor{{ID: "f", AccountID: a.ID, Kind: factor.TOTP, Form: factor.Standard()}}
		}
		all = append(all, n)
	}
	b.make(all...)
	count := func(q account.Query) (found int) {
		q.Limit = account.MostPeople
		page, _ := find(b.bundle, func(tx *store.Tx) (account.Page, bool, error) {
			p, err := tx.People(b.Context(), q, moment())
			return p, true, err
		})
		return len(page.People)
	}
	const no = account.NotVerified
	for q, want := range map[account.Query]int{
		{Role: "staff"}: 123, {Factors: account.HasApp, Verified: no}: 1, {Text: "n00", By: account.ByAddressPrefix}: 10,
		{SeenBefore: moment().Add(-2 * time.Hour)}: 0, {Verified: no}: 12, {Verified: account.IsVerified}: 111,
		{Text: "n00", By: account.ByAddressPrefix, Verified: account.IsVerified}: 9, {Text: "n00", By: account.ByAddressPrefix, Verified: no}: 1,
	} {
		if got := count(q); got != want {
			b.Errorf("%+v finds %d, want %d", q, got, want)
		}
	}
	b.write(func(tx *store.Tx) error {
		_, err := tx.IndexPeople(b.Context(), "", 500)
		return err
	})
	if got := count(account.Query{Role: "staff"}); got != 123 {
		b.Errorf("after the comparison %d are listed", got)
	}
}

func (b newcomers) AccountsByKey_AlsoMany() {
	first, second := b.person(1), b.person(2)
	keys := []string{first.Address.Key, "no", second.Address.Key}
	for i := range 200 {
		keys = append(keys, fmt.Sprint(i))
	}
	found := list(b.bundle, func(tx *store.Tx) ([]account.Account, error) { return tx.AccountsByKey(b.Context(), keys) })
	slices.SortFunc(found, func(a, b account.Account) int { return strings.Compare(a.Address.Key, b.Address.Key) })
	b.equal("the accounts", found, []account.Account{first, second})
	if none := list(b.bundle, func(tx *store.Tx) ([]account.Account, error) { return tx.AccountsByKey(b.Context(), nil) }); len(none) > 0 {
		b.Error("an account has none of no keys")
	}
}

func (b newcomers) KeptByKey_UntilTheirEnd() {
	n := newcomer(1)
	b.make(n)
	o := n.Others[0]
	for at, want := range map[time.Time]string{o.Until.Add(-time.Second): o.AccountID, o.Until: ""} {
		kept, _ := find(b.bundle, func(tx *store.Tx) (map[string]string, bool, error) {
			m, err := tx.KeptByKey(b.Context(), []string{o.Address.Key}, at)
			return m, true, err
		})
		if kept[o.Address.Key] != want {
			b.Errorf("at %v the address is of %q, want %q", at, kept[o.Address.Key], want)
		}
	}
}

// An address that another account keeps no longer is free, although its row is there.
func (b newcomers) InsertNewcomers_TakeExpiredAddresses() {
	n, m := newcomer(1), newcomer(2)
	o := n.Others[0]
	m.Others = []account.Other{{AccountID: m.Account.ID, Address: o.Address, Use: account.Spare, Until: account.Forever}}
	b.make(n)
	insert := func(at time.Time) func(tx *store.Tx) error {
		return func(tx *store.Tx) error { return tx.InsertNewcomers(b.Context(), []flow.Newcomer{m}, at) }
	}
	b.fails("an address that another account has", insert(o.Until.Add(-time.Microsecond)))
	b.write(insert(o.Until))
	got := list(b.bundle, func(tx *store.Tx) ([]account.Other, error) {
		return tx.AddressesOf(b.Context(), m.Account.ID, moment())
	})
	b.equal("the addresses", got, m.Others)
}

// An import that holds an address finds whoever has got it at the same moment, and keeps it from others.
func (b newcomers) HoldAddresses_ForOneAccount() {
	var kept []account.Account
	for n := range workers {
		kept = append(kept, b.person(n))
	}
	for round := range 5 {
		o := full[account.Other](workers * (round + 9))
		o.Until = account.Forever
		b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
			if worker%2 == 0 {
				o := o
				o.AccountID = kept[worker].ID
				return tx.AddAddress(b.Context(), o, moment())
			}
			n := newcomer(workers*(round+1) + worker)
			n.Account.Address = o.Address
			keys := []string{n.Others[0].Address.Key, o.Address.Key, o.Address.Key}
			if err := tx.HoldAddresses(b.Context(), keys); err != nil {
				return false, err
			}
			has, err := tx.AccountsByKey(b.Context(), keys)
			if err != nil || len(has) > 0 {
				return false, err
			}
			other, err := tx.KeptByKey(b.Context(), keys, moment())
			if err != nil || len(other) > 0 {
				return false, err
			}
			return true, tx.InsertNewcomers(b.Context(), []flow.Newcomer{n}, moment())
		})
	}
}

func (b newcomers) IdentitiesAt_OneIssuer() {
	n := newcomer(1)
	b.make(n)
	for issuer, want := range map[string][]account.Identity{n.Identities[0].Issuer: n.Identities[:1], "https://other.test": nil} {
		got := list(b.bundle, func(tx *store.Tx) ([]account.Identity, error) {
			return tx.IdentitiesAt(b.Context(), issuer, []string{n.Identities[0].Subject})
		})
		b.equal("the identities at "+issuer, got, want)
	}
}

func (b newcomers) KnownCredentials_Bytes() {
	n := newcomer(1)
	b.make(n)
	k := n.Passkeys[0]
	known, _ := find(b.bundle, func(tx *store.Tx) (map[string]string, bool, error) {
		m, err := tx.KnownCredentials(b.Context(), [][]byte{k.Credential, []byte("no")})
		return m, true, err
	})
	b.equal("the credentials", known, map[string]string{string(k.Credential): k.AccountID})
}

func (b newcomers) SubjectOf_AndImportedAs() {
	n, m := newcomer(1), newcomer(2)
	b.make(n, m)
	want := account.Imported{AccountID: n.Account.ID, Subject: n.Subject}
	got, ok := find(b.bundle, func(tx *store.Tx) (account.Subject, bool, error) { return tx.SubjectOf(b.Context(), n.Account.ID) })
	if b.equal("the subject", got, n.Subject); !ok {
		b.Error("the subject is not found")
	}
	b.equal("the account of a subject", list(b.bundle, func(tx *store.Tx) ([]account.Imported, error) {
		return tx.ImportedAs(b.Context(), []string{n.Subject.Value, "no"})
	}), []account.Imported{want})
	b.fails("a subject that another account has", func(tx *store.Tx) error {
		other := newcomer(3)
		other.Subject = account.Subject{Issuer: "https://another.test", Value: n.Subject.Value}
		return tx.InsertNewcomers(b.Context(), []flow.Newcomer{other}, moment())
	})
}

func (b newcomers) ImportedSubject_OrNone() {
	n := newcomer(1)
	b.make(n)
	for id, want := range map[string]string{n.Account.ID: n.Subject.Value, "no": ""} {
		got := result(b.bundle, func(tx *store.Tx) (string, error) { return tx.ImportedSubject(b.Context(), id) })
		b.equal("the subject", got, want)
	}
}

func (b newcomers) ImportedAs_NoValues() {
	if all := list(b.bundle, func(tx *store.Tx) ([]account.Imported, error) { return tx.ImportedAs(b.Context(), nil) }); len(all) > 0 {
		b.Error("an account was found")
	}
}

func (b newcomers) Imported_PageByPage() {
	n, m := newcomer(1), newcomer(2)
	b.make(n, m)
	ids := []string{n.Account.ID, m.Account.ID}
	var seen []string
	for after := ""; ; {
		page := list(b.bundle, func(tx *store.Tx) ([]account.Imported, error) { return tx.Imported(b.Context(), after, 1) })
		if len(page) == 0 {
			break
		}
		after = page[0].AccountID
		seen = append(seen, after)
	}
	slices.Sort(ids)
	slices.Sort(seen) // the collation of the engine orders the pages
	b.equal("the accounts", seen, ids)
}

func (b newcomers) unproven(id string) bool {
	_, unproven := find(b.bundle, func(tx *store.Tx) (struct{}, bool, error) {
		is, err := tx.IsUnproven(b.Context(), id)
		return struct{}{}, is, err
	})
	return unproven
}

func (b newcomers) IsUnproven_UntilItEnds() {
	n, proven := newcomer(1), newcomer(2)
	proven.Unproven = false
	b.make(n, proven)
	if !b.unproven(n.Account.ID) || b.unproven(proven.Account.ID) || b.unproven("no") {
		b.Error("the wrong addresses are proven")
	}
}

func (b newcomers) EndUnproven_OfOneAccount() {
	n, other := newcomer(1), newcomer(2)
	b.make(n, other)
	b.write(func(tx *store.Tx) error { return tx.EndUnproven(b.Context(), n.Account.ID) })
	if b.unproven(n.Account.ID) || !b.unproven(other.Account.ID) {
		b.Error("the wrong address is proven")
	}
}

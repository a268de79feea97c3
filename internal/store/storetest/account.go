package storetest

import (
	"context"
	"portico/internal/account"
	"portico/internal/store"
	"slices"
	"strings"
	"time"
)

type accounts struct{ *bundle }

func (b accounts) InsertAccount_EveryField() {
	a := b.person(1)
	b.person(2)
	b.equal("the account by id", b.account(a.ID), a)
	byKey, _ := b.accountByKey(a.Address.Key)
	b.equal("the account by key", byKey, a)
}

func (b accounts) InsertAccount_NothingSet() {
	b.insertAccount(account.Account{ID: "id"})
	b.equal("the account", b.account("id"), account.Account{ID: "id"})
}

func (b accounts) InsertAccount_KeyTaken() {
	a := b.person(1)
	other := full[account.Account](2)
	other.Address.Key = a.Address.Key
	if b.insertAccount(other) {
		b.Error("a second account has the key")
	}
	b.equal("the first account", b.account(a.ID), a)
}

func (b accounts) InsertAccount_OneOfMany() {
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		a := full[account.Account](worker)
		a.Address.Key = "v@x.test"
		return tx.InsertAccount(b.Context(), a)
	})
}

func (b accounts) AccountByID_Unknown() {
	b.person(1)
	if _, ok := find(b.bundle, func(tx *store.Tx) (account.Account, bool, error) { return tx.AccountByID(b.Context(), "no") }); ok {
		b.Error("an account was found")
	}
}

func (b accounts) AccountsByID_FindsThoseThatExist() {
	first, second := b.person(1), b.person(2)
	var found []account.Account
	b.write(func(tx *store.Tx) (err error) {
		found, err = tx.AccountsByID(b.Context(), []string{second.ID, "no", first.ID})
		return err
	})
	slices.SortFunc(found, func(a, b account.Account) int { return strings.Compare(a.Address.Key, b.Address.Key) })
	b.equal("the accounts", found, []account.Account{first, second})
}

// No other transaction changes an account between the read of a step and its end.
func (b accounts) AccountByID_HeldUntilTheEnd() {
	a := b.person(1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		seen, _, err := tx.AccountByID(b.Context(), a.ID)
		if err != nil || seen.Version != a.Version {
			return false, err
		}
		return tx.UpdatePassword(b.Context(), a.ID, "new")
	})
}

func (b accounts) AccountByKey_HeldUntilTheEnd() {
	a := b.person(1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		seen, _, err := tx.AccountByKey(b.Context(), a.Address.Key)
		if err != nil || seen.Version != a.Version {
			return false, err
		}
		return tx.UpdateState(b.Context(), a.ID, account.DisabledByOperator)
	})
}

func (b accounts) AccountByKey_LetterByLetter() {
	b.insertAccount(account.Account{ID: "id", Address: account.Address{Key: "ke\u0301@x.test"}})
	for _, key := range []string{"Ke\u0301@x.test", "k\u00e9@x.test", "ke@x.test", "ke\u0301@x.test "} {
		if _, ok := b.accountByKey(key); ok {
			b.Errorf("%q was found", key)
		}
	}
}

func (b accounts) UpdatePassword_MovesTheVersion() {
	b.sets("UpdatePassword", (*store.Tx).UpdatePassword, 1)
}

func (b accounts) RehashPassword_KeepsTheVersion() {
	b.sets("RehashPassword", (*store.Tx).RehashPassword, 0)
}

// sets checks a method that sets the verifier and adds raised to the credential version.
func (b accounts) sets(name string, set func(*store.Tx, context.Context, string, string) (bool, error), raised int64) {
	a, other := b.person(1), b.person(2)
	if !b.did(func(tx *store.Tx) (bool, error) { return set(tx, b.Context(), a.ID, "new") }) {
		b.Fatal("the account was not found")
	}
	a.Password, a.Version = "new", a.Version+raised
	b.equal(name, b.account(a.ID), a)
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return set(tx, b.Context(), "no", "new") }) {
		b.Error("an account that does not exist has a password")
	}
}

func (b accounts) UpdateState_MovesTheVersion() {
	a, other := b.person(1), b.person(2)
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateState(b.Context(), a.ID, account.DisabledByOperator) }) {
		b.Fatal("the account was not found")
	}
	a.State = account.DisabledByOperator
	a.Version++
	b.equal("the account", b.account(a.ID), a)
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateState(b.Context(), "no", account.DisabledByOperator) }) {
		b.Error("an account that does not exist was closed")
	}
}

func (b accounts) UpdateClaims_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	for _, claims := range []string{`{"quota":5}`, ""} {
		if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateClaims(b.Context(), a.ID, claims) }) {
			b.Fatal("the account was not found")
		}
		a.Claims = claims
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateClaims(b.Context(), "no", "") }) {
		b.Error("an account that does not exist has claims")
	}
}

func (b accounts) UpdateRoles_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	for _, roles := range [][]string{{"admin", "team:ops"}, {}} {
		if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateRoles(b.Context(), a.ID, roles) }) {
			b.Fatal("the account was not found")
		}
		a.Roles = roles
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateRoles(b.Context(), "no", nil) }) {
		b.Error("an account that does not exist has roles")
	}
}

func (b accounts) UpdateName_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	for _, name := range []string{"Mara Lind", ""} {
		if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateName(b.Context(), a.ID, name) }) {
			b.Fatal("the account was not found")
		}
		a.Name = name
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateName(b.Context(), "no", "Mara") }) {
		b.Error("an account that does not exist has a name")
	}
}

func (b accounts) UpdateAddress_MovesTheVersion() {
	a, other := b.person(1), b.person(2)
	since := moment()
	set := func(id string, address account.Address) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateAddress(b.Context(), id, address, since, moment()) })
	}
	if set(a.ID, account.Address{Mail: "Other@x.test", Key: other.Address.Key}) {
		b.Error("two accounts have one address")
	}
	for _, mail := range []string{"New@x.test", "NEW@x.test"} { // the second time only in another spelling
		since = since.Add(time.Hour)
		if !set(a.ID, account.Address{Mail: mail, Key: "new@x.test"}) {
			b.Fatal("the address was not set")
		}
		a.Address, a.AddressAt = account.Address{Mail: mail, Key: "new@x.test"}, since
		a.Version++
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if set("no", account.Address{Mail: "no@x.test", Key: "no@x.test"}) {
		b.Error("an account that does not exist has an address")
	}
}

func (b accounts) UpdateAddress_OneOfMany() {
	people := make([]account.Account, workers)
	for n := range people {
		people[n] = b.person(n)
	}
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		ok, err := tx.UpdateAddress(b.Context(), people[worker].ID, account.Address{Mail: "v@x.test", Key: "v@x.test"}, moment(), moment())
		return ok, err
	})
}

func (b accounts) UpdateLocale_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	for _, locale := range []string{"de", ""} {
		if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateLocale(b.Context(), a.ID, locale) }) {
			b.Fatal("the account was not found")
		}
		a.Locale = locale
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateLocale(b.Context(), "no", "de") }) {
		b.Error("an account that does not exist has a language")
	}
}

func (b accounts) UpdateTerms_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	for _, accepted := range []account.Terms{{Version: "2026-01", AcceptedAt: time.UnixMicro(1_800_000_000_000_001).UTC()}, {}} {
		if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateTerms(b.Context(), a.ID, accepted) }) {
			b.Fatal("the account was not found")
		}
		a.Terms = accepted
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) {
		return tx.UpdateTerms(b.Context(), "no", account.Terms{Version: "1"})
	}) {
		b.Error("an account that does not exist has accepted terms")
	}
}

func (b accounts) UpdateFactorTold_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	a.FactorToldAt = time.UnixMicro(1_800_000_000_000_001).UTC()
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateFactorTold(b.Context(), a.ID, a.FactorToldAt) }) {
		b.Fatal("the account was not found")
	}
	b.equal("the account", b.account(a.ID), a)
	b.equal("another account", b.account(other.ID), other)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.UpdateFactorTold(b.Context(), "no", a.FactorToldAt) }) {
		b.Error("an account that does not exist was told")
	}
}

func (b accounts) RaiseVersion_LeavesTheRest() {
	a, other := b.person(1), b.person(2)
	b.write(func(tx *store.Tx) error { return tx.RaiseVersion(b.Context(), a.ID) })
	a.Version++
	b.equal("the account", b.account(a.ID), a)
	b.equal("another account", b.account(other.ID), other)
}

func (b accounts) EndFlows_LeavesTheVersion() {
	a, other := b.person(1), b.person(2)
	b.write(func(tx *store.Tx) error { return tx.EndFlows(b.Context(), a.ID) })
	a.FlowEnds++
	b.equal("the account", b.account(a.ID), a)
	b.equal("another account", b.account(other.ID), other)
}

func (b accounts) DeleteAccount_WithAllThatIsItsOwn() {
	a, other := b.person(1), b.person(2)
	mine, theirs := b.session(a, 1), b.session(other, 2)
	b.identity(a, 1)
	kept := b.identity(other, 2)
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), a.ID) }) != want {
			b.Errorf("deleted, want %v", want)
		}
	}
	if _, ok := b.accountByKey(a.Address.Key); ok {
		b.Error("the account is still there")
	}
	if b.held(mine) || !b.held(theirs) {
		b.Error("not the sessions of the account, and those alone, have ended")
	}
	b.equal("its identities", b.identities(a.ID), []account.Identity(nil))
	b.equal("another's identities", b.identities(other.ID), []account.Identity{kept})
}

func (b *bundle) insertAccount(a account.Account) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.InsertAccount(b.Context(), a) })
}

func (b *bundle) account(id string) account.Account {
	b.Helper()
	a, _ := find(b, func(tx *store.Tx) (account.Account, bool, error) { return tx.AccountByID(b.Context(), id) })
	return a
}

func (b *bundle) accountByKey(key string) (account.Account, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (account.Account, bool, error) { return tx.AccountByKey(b.Context(), key) })
}

// person stores an account that can be signed in to.
func (b *bundle) person(number int) account.Account {
	b.Helper()
	a := full[account.Account](number)
	a.State = account.Active
	b.insertAccount(a)
	return a
}

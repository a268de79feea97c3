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
		return true, tx.UpdatePassword(b.Context(), a.ID, "new")
	})
}

func (b accounts) AccountByKey_HeldUntilTheEnd() {
	a := b.person(1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		seen, _, err := tx.AccountByKey(b.Context(), a.Address.Key)
		if err != nil || seen.Version != a.Version {
			return false, err
		}
		return true, tx.UpdateState(b.Context(), a.ID, account.DisabledByOperator)
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

// sets checks a method that sets values of one account, one after the other. change does the same to what the test knows.
func sets[T any](b accounts, set func(*store.Tx, context.Context, string, T) error, change func(a *account.Account, to T), values ...T) {
	b.Helper()
	a, other := b.person(1), b.person(2)
	for _, to := range values {
		for _, id := range []string{a.ID, "no"} {
			b.write(func(tx *store.Tx) error { return set(tx, b.Context(), id, to) })
		}
		change(&a, to)
		b.equal("the account", b.account(a.ID), a)
	}
	b.equal("another account", b.account(other.ID), other)
}

func (b accounts) UpdatePassword_MovesTheVersion() {
	sets(b, (*store.Tx).UpdatePassword, func(a *account.Account, to string) { a.Password, a.Version = to, a.Version+1 }, "new")
}

func (b accounts) RehashPassword_KeepsTheVersion() {
	sets(b, (*store.Tx).RehashPassword, func(a *account.Account, to string) { a.Password = to }, "new")
}

func (b accounts) UpdateState_MovesTheVersion() {
	sets(b, (*store.Tx).UpdateState, func(a *account.Account, to account.State) { a.State, a.Version = to, a.Version+1 }, account.DisabledByOperator)
}

func (b accounts) UpdateClaims_LeavesTheVersion() {
	sets(b, (*store.Tx).UpdateClaims, func(a *account.Account, to string) { a.Claims = to }, `{"quota":5}`, "")
}

func (b accounts) UpdateRoles_LeavesTheVersion() {
	sets(b, (*store.Tx).UpdateRoles, func(a *account.Account, to []string) { a.Roles = to }, []string{"admin", "team:ops"}, []string{})
}

func (b accounts) UpdateName_LeavesTheVersion() {
	sets(b, (*store.Tx).UpdateName, func(a *account.Account, to string) { a.Name = to }, "Mara Lind", "")
}

func (b accounts) UpdateLocale_LeavesTheVersion() {
	sets(b, (*store.Tx).UpdateLocale, func(a *account.Account, to string) { a.Locale = to }, "de", "")
}

func (b accounts) UpdateTerms_LeavesTheVersion() {
	accepted := account.Terms{Version: "2026-01", AcceptedAt: time.UnixMicro(1_800_000_000_000_001).UTC()}
	sets(b, (*store.Tx).UpdateTerms, func(a *account.Account, to account.Terms) { a.Terms = to }, accepted, account.Terms{})
}

func (b accounts) UpdateFactorTold_LeavesTheVersion() {
	sets(b, (*store.Tx).UpdateFactorTold, func(a *account.Account, to time.Time) { a.FactorToldAt = to }, time.UnixMicro(1_800_000_000_000_001).UTC())
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

package storetest

import (
	"time"

	"portico/internal/passkey"
	"portico/internal/store"
)

type passkeys struct{ *bundle }

func (b passkeys) InsertPasskey_EveryField() {
	p := b.passkey(b.person(1).ID, 1)
	b.passkey(b.person(2).ID, 2)
	b.equal("the passkeys of the account", b.passkeys(p.AccountID), []passkey.Passkey{p})
}

func (b passkeys) InsertPasskey_OneOfACredential() {
	p := b.passkey(b.person(1).ID, 1)
	same := full[passkey.Passkey](2)
	same.AccountID, same.Credential = b.person(2).ID, p.Credential
	if b.did(func(tx *store.Tx) (bool, error) { return tx.InsertPasskey(b.Context(), same) }) {
		b.Error("two passkeys have one credential")
	}
	homeless := full[passkey.Passkey](3)
	b.fails("a passkey without an account", func(tx *store.Tx) error {
		_, err := tx.InsertPasskey(b.Context(), homeless)
		return err
	})
}

func (b passkeys) RefusePasskeys_Twice() {
	a := b.person(1)
	for range 2 {
		b.write(func(tx *store.Tx) error { return tx.RefusePasskeys(b.Context(), a.ID, moment()) })
	}
}

func (b passkeys) PasskeysRefused_OfOneAccount() {
	a, other := b.person(1), b.person(2)
	refused := func(id string) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.PasskeysRefused(b.Context(), id) })
	}
	if refused(a.ID) {
		b.Error("a new account has refused")
	}
	b.write(func(tx *store.Tx) error { return tx.RefusePasskeys(b.Context(), a.ID, moment()) })
	if !refused(a.ID) || refused(other.ID) {
		b.Errorf("the account %v, another one %v", refused(a.ID), refused(other.ID))
	}
}

func (b passkeys) PasskeysOf_LastUsedFirst() {
	a := b.person(1)
	second, third, first := b.passkey(a.ID, 2), b.passkey(a.ID, 3), b.passkey(a.ID, 1)
	b.equal("the passkeys", b.passkeys(a.ID), []passkey.Passkey{third, second, first})
}

func (b passkeys) PasskeyByCredential_ThatOne() {
	a := b.person(1)
	p := b.passkey(a.ID, 1)
	b.passkey(a.ID, 2)
	got, ok := find(b.bundle, func(tx *store.Tx) (passkey.Passkey, bool, error) {
		return tx.PasskeyByCredential(b.Context(), p.Credential)
	})
	if !ok {
		b.Fatal("the passkey is not found")
	}
	b.equal("the passkey", got, p)
	if _, ok := find(b.bundle, func(tx *store.Tx) (passkey.Passkey, bool, error) {
		return tx.PasskeyByCredential(b.Context(), []byte("other"))
	}); ok {
		b.Error("another credential is found")
	}
}

func (b passkeys) UsePasskey_FromItsCounter() {
	p, other := b.passkey(b.person(1).ID, 1), b.passkey(b.person(2).ID, 2)
	before := p.Counter
	p.Counter, p.Copies, p.Copied, p.UsedAt = before+1, !p.Copies, false, moment().Add(time.Hour)
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.UsePasskey(b.Context(), p, before) }) != want {
			b.Errorf("used, want %v", want)
		}
	}
	b.equal("the used one", b.passkeys(p.AccountID), []passkey.Passkey{p})
	b.equal("the other", b.passkeys(other.AccountID), []passkey.Passkey{other})
}

// SEC-107: one counter at many nodes at once.
func (b passkeys) UsePasskey_OneOfMany() {
	p := b.passkey(b.person(1).ID, 1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		used := p
		used.Counter++
		return tx.UsePasskey(b.Context(), used, p.Counter)
	})
}

func (b passkeys) RenamePasskey_OnlyOneOfTheOwn() {
	p, theirs := b.passkey(b.person(1).ID, 1), b.passkey(b.person(2).ID, 2)
	rename := func(id string) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.RenamePasskey(b.Context(), p.AccountID, id, "phone") })
	}
	if !rename(p.ID) || rename(theirs.ID) {
		b.Error("not the own passkey, and that alone, was renamed")
	}
	p.Name = "phone"
	b.equal("the own", b.passkeys(p.AccountID), []passkey.Passkey{p})
	b.equal("the other", b.passkeys(theirs.AccountID), []passkey.Passkey{theirs})
}

func (b passkeys) DeletePasskey_OnlyOneOfTheOwn() {
	p, theirs := b.passkey(b.person(1).ID, 1), b.passkey(b.person(2).ID, 2)
	remove := func(id string) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.DeletePasskey(b.Context(), p.AccountID, id) })
	}
	if remove(theirs.ID) || !remove(p.ID) || remove(p.ID) {
		b.Error("not the own passkey, and that once, was deleted")
	}
	b.equal("the other", b.passkeys(theirs.AccountID), []passkey.Passkey{theirs})
}

func (b passkeys) CountPasskeys_OfOtherHosts() {
	p := b.passkey(b.person(1).ID, 1)
	b.passkey(p.AccountID, 2)
	for host, want := range map[string]int64{p.Host: 1, "new.example.com": 2} {
		var n int64
		b.write(func(tx *store.Tx) (err error) { n, err = tx.CountPasskeys(b.Context(), host); return err })
		if n != want {
			b.Errorf("%d passkeys are for another host than %q, want %d", n, host, want)
		}
	}
}

func (b passkeys) DeleteAccount_WithItsPasskeys() {
	p := b.passkey(b.person(1).ID, 1)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), p.AccountID) })
	if len(b.passkeys(p.AccountID)) > 0 {
		b.Error("a passkey outlived its account")
	}
}

func (b *bundle) passkey(accountID string, number int) passkey.Passkey {
	b.Helper()
	p := full[passkey.Passkey](number)
	p.AccountID = accountID
	if !b.did(func(tx *store.Tx) (bool, error) { return tx.InsertPasskey(b.Context(), p) }) {
		b.Fatal("the passkey was not stored")
	}
	return p
}

func (b *bundle) passkeys(accountID string) []passkey.Passkey {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]passkey.Passkey, error) { return tx.PasskeysOf(b.Context(), accountID) })
}

package flow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/password"
)

const (
	imported     = "gärtner-Übung"
	importedHash = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu"
)

// foreign registers an account in the browser and gives it the hash of another system, as an import stores it.
func (v *visitor) foreign(passwords *password.Service) {
	v.Helper()
	v.register("mara@example.org")
	stored, _, err := passwords.Adopt(importedHash)
	if err != nil {
		v.Fatal(err)
	}
	err = v.store.Write(v.Context(), func(tx flow.Tx) error {
		return tx.RehashPassword(v.Context(), v.found().User.ID, stored)
	})
	if err != nil {
		v.Fatal(err)
	}
}

// verifier returns the stored hash of the signed-in account.
func (v *visitor) verifier() (hash string) {
	v.Helper()
	err := v.store.Read(v.Context(), func(tx flow.Tx) error {
		a, _, err := tx.AccountByID(v.Context(), v.found().User.ID)
		hash = a.Password
		return err
	})
	if err != nil {
		v.Fatal(err)
	}
	return hash
}

func (v *visitor) wantHash(when, prefix string) {
	v.Helper()
	if got := v.verifier(); !strings.HasPrefix(got, prefix) {
		v.Errorf("%s the stored hash is %s, want one that begins with %s", when, got, prefix)
	}
}

func wantSame(t *testing.T, err error) {
	t.Helper()
	if fields := fault.From(err).Fields; len(fields) != 1 || fields[0].Code != password.CodeSame {
		t.Errorf("the same password again: %v", err)
	}
}

func withPasswords(into **password.Service) option {
	return func(c *flow.Config) { *into = c.Passwords }
}

// A sign-in with the password of another system keeps the sessions, and Portico's hash of the
// same password.
func TestForeignHash_SignIn(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.foreign(passwords)
	if _, err := elsewhere.signIn("mara@example.org", good); !errors.Is(err, flow.Rejected) {
		t.Errorf("the password from before the import: %v", err)
	}
	v.wantHash("after a wrong password", "$keyed$")
	elsewhere.must(elsewhere.signIn("mara@example.org", imported))
	v.wantHash("after a sign-in", "$argon2id$v=19$m=64,t=1,p=1,keyid=")
	if v.signedIn() == "" {
		t.Error("the new hash of the same password ended a session")
	}
	elsewhere.must(elsewhere.signIn("mara@example.org", imported))
}

// The proof before a change of the account is a sign-in too.
func TestForeignHash_Proof(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	v := b.visitor("192.0.2.1")
	v.foreign(passwords)
	b.clock.Advance(11 * time.Minute)
	if err := b.Owner.Fresh(t.Context(), v.found()); !errors.Is(err, flow.ProofNeeded) {
		t.Fatalf("Fresh = %v", err)
	}
	v.must(v.signIn("mara@example.org", imported))
	if err := b.Owner.Fresh(t.Context(), v.found()); err != nil {
		t.Errorf("after the password: %v", err)
	}
	v.wantHash("after the proof", "$argon2id$")
}

// The current password is not a new one, wherever a new one is chosen.
func TestForeignHash_Change(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	v := b.visitor("192.0.2.1")
	v.foreign(passwords)
	_, same := b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), imported, imported)
	wantSame(t, same)
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, v.found(), another, another))
	v.wantHash("after a change", "$argon2id$")
}

// A recovery does not take the current password either.
func TestForeignHash_Reset(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	v := b.visitor("192.0.2.1")
	v.foreign(passwords)
	r := v.must(b.Flows.Recover(t.Context(), v.Caller, "mara@example.org", flow.Target{}))
	r = v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.next().Data["code"]))
	_, same := b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: imported, Confirm: imported})
	wantSame(t, same)
	v.must(b.Flows.ResetPassword(t.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: another, Confirm: another}))
	v.wantHash("after a reset", "$argon2id$")
}

// An account with a second factor keeps the new hash before it asks for the factor.
func TestForeignHash_SecondFactor(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	v, elsewhere := b.visitor("192.0.2.1"), b.visitor("192.0.2.2")
	v.foreign(passwords)
	v.enrols()
	v.wantHash("before", "$keyed$")
	elsewhere.must(elsewhere.signIn("mara@example.org", imported))
	if elsewhere.signedIn() != "" {
		t.Error("signed in without the second factor")
	}
	v.wantHash("before the second factor", "$argon2id$")
}

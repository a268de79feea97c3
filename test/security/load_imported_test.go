package security

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/store"
)

func TestSEC406_ImportedHashCannotStopTheServer(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	salt, digest := "$MDEyMzQ1Njc4OWFiY2RlZg$", strings.Repeat("A", 43)
	for _, hash := range []string{
		"$2b$31$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu",
		"$pbkdf2-sha256$i=2147483648,l=32" + salt + digest,
		"$scrypt$ln=30,r=8,p=1" + salt + digest,
		"$argon2id$v=19$m=4294967295,t=1,p=1" + salt + digest,
		"$6$rounds=999999999$salt$" + strings.Repeat("a", 86),
	} {
		if _, _, err := s.app.Passwords.Adopt(hash); err == nil || !strings.Contains(err.Error(), "can be checked") {
			t.Errorf("%s: Adopt = %v", hash, err)
		}
		// In the database, as someone with write access could plant it, it is not computed either.
		address := fresh("v")
		s.plants(s.operator(address, good), hash)
		s.visitor().signIn(address, good).refused(500, "internal")
	}
}

func (s *site) plants(a account.Account, hash string) {
	s.Helper()
	err := s.app.Store.Write(s.Context(), func(tx *store.Tx) error {
		return tx.RehashPassword(s.Context(), a.ID, hash)
	})
	if err != nil {
		s.Fatal(err)
	}
}

func TestSEC407_ImportedHashNeedsTheMasterKey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	stored := s.imports(address, imported)
	digest, err := hex.DecodeString(imported)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{imported, base64.RawStdEncoding.EncodeToString(digest), string(digest)} {
		if strings.Contains(stored, form) {
			t.Errorf("%s has the digest", stored)
		}
	}
	// A text that is stored is not a password.
	if s.accepts(address, stored) || s.accepts(address, imported) {
		t.Error("the stored text is accepted as the password")
	}
	if !s.accepts(address, "gärtner-Übung") {
		t.Error("the right password is not accepted")
	}
}

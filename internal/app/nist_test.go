package app

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
)

// The numbers of NIST SP 800-63B-4 for AAL2 in an App whose file of settings has the
// profile and nothing else that they depend on. TestNIST of package flow has the numbers
// that no setting changes.
func TestNIST(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	base, path := settings(t, folder), filepath.Join(folder, "portico.toml")
	file := fmt.Sprintf("profile = \"nist\"\npublic_url = %q\ndatabase_url = %q\nsecret_file = %q\n", base.PublicURL, base.DatabaseURL, base.SecretFile)
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, cfg, Options{})
	defer a.end(t)
	l := a.live.Load()

	hash, err := l.passwords.Hash(t.Context(), good)
	parts := strings.Split(hash, "$")
	if err != nil || len(parts) != 6 {
		t.Fatalf("the hash is %s (%v)", hash, err)
	}
	salt, _ := base64.RawStdEncoding.DecodeString(parts[4])
	var token string
	var begun session.Session
	owner, err := l.Operator.CreateUser(t.Context(), flow.ByOperator, "mara@example.org", "", good)
	if err == nil {
		err = a.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
			token, begun, err = l.sessions.Start(t.Context(), tx, session.Session{AccountID: owner.ID, Version: owner.Version})
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	keys, err := passkeys(cfg, a.key, a.clock)
	if err != nil || keys == nil {
		t.Fatalf("2.2.2: no passkeys, which resist phishing (%v)", err)
	}
	bits := func(text string) int {
		b, _ := secret.Decode(text)
		return 8 * len(b)
	}
	const signed = 8 * (8 + 32) // end and keyed hash of a challenge
	for _, n := range []struct {
		section          string
		got, least, most int
	}{
		{"2.2.3: minutes of a session", int(begun.ExpiresAt.Sub(begun.CreatedAt) / time.Minute), 1, 24 * 60},
		{"2.2.3: minutes of a session without use", int(l.sessions.IdleEnd(begun.CreatedAt).Sub(begun.CreatedAt) / time.Minute), 1, 60},
		{"3.1.1.2: the shortest password", l.passwords.Policy().Min, 15, 64},
		{"3.1.1.2: the longest password", l.passwords.Policy().Max, 64, 256},
		{"3.1.1.2: bits of the salt of a password", 8 * len(salt), 32, 512},
		{"3.1.6.2: random bits of a challenge", bits(keys.Challenge(passkey.SignIn, token, "")) - signed, 64, 512},
		{"5.1: bits of a session token", bits(token), 64, 512},
		{"2.2.1: days in which a second factor is put off", int(l.config.MFA.Grace / (24 * time.Hour)), 0, 0},
	} {
		if n.got < n.least || n.got > n.most {
			t.Errorf("%s: %d, want %d to %d", n.section, n.got, n.least, n.most)
		}
	}
	for length, accepted := range map[int]bool{14: false, 15: true, 64: true} {
		fields, err := l.passwords.Check(t.Context(), "kq7 vz2,mx9 bt4,hd8 wj3,pf6 ln5,rc1 gy7,su2 ke9,za4 ov8,ti3 xb6,dm5"[:length])
		if err != nil || (len(fields) == 0) != accepted {
			t.Errorf("3.1.1.2: %d characters give %v (%v)", length, fields, err)
		}
	}
	if !require(l.config.MFA).All {
		t.Error("2.2.1: one factor is enough")
	}
	if _, err := l.Flows.SendCode(t.Context(), flow.Caller{}, "mara@example.org", flow.Target{}); !errors.Is(err, flow.ByCodeOff) {
		t.Errorf("3.1.3.1: an email in place of a password: %v", err)
	}
	if l.config.MFA.Trust {
		t.Error("5.1: a browser may be trusted in place of a proof")
	}
}

package flow_test

import (
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/password"
	"portico/internal/people"
)

// bringsCodes imports mara with an authenticator app and recovery codes.
func (b *bundle) bringsCodes(passwords *password.Service, codes ...string) {
	b.Helper()
	h := how(func(h *flow.Import) {
		h.Hash = func(text string) (string, error) {
			stored, _, err := passwords.Adopt(text)
			return stored, err
		}
	})
	p := people.Person{Email: "mara@example.org", EmailVerified: true, Password: b.hash(good), TOTP: []people.TOTP{{Secret: seed}}, RecoveryCodes: codes}
	if got := b.brings(h, p); !slices.Equal(got, []string{"created"}) {
		b.Fatal(got)
	}
}

// keycloakCode is a code as Keycloak stores it, which shows it in groups of four.
func keycloakCode(raw string) string {
	sum := sha512.Sum512([]byte(raw))
	return "$sha512$salt=before$$" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// A recovery code of another system signs in once, in each spelling that its user knows.
func TestImportCodes_WorkOnce(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	own, err := passwords.Hash(t.Context(), "OABCDEFGHIJKLMNB")
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := passwords.Adopt(keycloakCode("KEPTKEPT"))
	if err != nil {
		t.Fatal(err)
	}
	b.bringsCodes(passwords, "bbbb2222", "bbbb3333", "Tz9-kx4-Qw1", keycloakCode("ABCDEFGH1234"), keycloakCode("abcd-12345"), own, kept, "f453e7788d04c649d0ef32eac9707e51")
	left := 8
	for _, typed := range []string{"BBBB-2222", " bbbb3333", "tz9kx4qw1", "ABCD-EFGH-1234", "abcd-12345", "0abc defg h1jk lmn8", "KEPT-KEPT", imported} {
		for _, again := range []bool{false, true} {
			v := b.visitor("192.0.2.1")
			r := v.must(v.signIn("mara@example.org", good))
			view, err := v.Flows.View(t.Context(), v.Caller, r.FlowID)
			if s := view.SecondFactors; err != nil || s.Codes != left || s.Moved != (left > 0) {
				t.Errorf("before %q: %+v (%v)", typed, s, err)
			}
			_, err = v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(typed))
			switch {
			case again && left > 0:
				wantField(t, err, factor.CodeWrong)
			case again && err == nil:
				t.Errorf("%q works twice", typed)
			case !again && err != nil:
				t.Fatalf("%q: %v", typed, err)
			}
			if !again {
				left--
			}
			b.clock.Advance(2 * time.Hour)
		}
	}
	if got := b.record(audit.CodeSpent); got.Detail != "0" {
		t.Errorf("the record has %+v", got)
	}
}

// A text that no code of the account can have costs no guess. Others do.
func TestImportCodes_Form(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	b.bringsCodes(passwords, "bbbb2222")
	v := b.visitor("192.0.2.1")
	r := v.must(v.signIn("mara@example.org", good))
	for _, typed := range []string{"12345", strings.Repeat("a", 65), "bbbb\x002222", strings.Repeat(" ", 300)} {
		_, err := v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery(typed))
		wantField(t, err, factor.CodeMovedFormat)
	}
	_, err := v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery("cccc2222"))
	wantField(t, err, factor.CodeWrong)
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, recovery("bbbb2222")))
}

// One code, ten sign-ins at once: one gets a session, and the code beside it stays.
func TestImportCodes_Race(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	b.bringsCodes(passwords, "bbbb2222", "bbbb2222", "bbbb3333")
	var visitors [10]*visitor
	var flows [10]flow.Result
	for i := range flows {
		visitors[i] = b.visitor(fmt.Sprintf("192.0.2.%d", 10+i))
		flows[i] = visitors[i].must(visitors[i].signIn("mara@example.org", good))
	}
	var won atomic.Int64
	var running sync.WaitGroup
	for i := range flows {
		running.Go(func() {
			r, err := b.Flows.GiveFactor(t.Context(), visitors[i].Caller, flows[i].FlowID, recovery("bbbb3333"))
			if err == nil && r.Session != nil {
				won.Add(1)
			}
		})
	}
	running.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 10 got a session", won.Load())
	}
	if second, err := b.Flows.SecondFactors(t.Context(), b.user("mara@example.org").ID); err != nil || second.Codes != 1 {
		t.Errorf("left: %+v (%v)", second, err)
	}
}

// New codes replace those of another system as a whole, also while one of them is checked.
func TestImportCodes_Replaced(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	b.bringsCodes(passwords, "bbbb2222")
	v := b.visitor("192.0.2.1")
	r := v.must(v.signIn("mara@example.org", good))
	v.must(v.Flows.GiveFactor(t.Context(), v.Caller, r.FlowID, digits(b.codeOf(people.TOTP{Secret: seed}))))
	v.must(v.Owner.MakeCodes(t.Context(), v.Caller, v.found(), flow.Target{}))
	other := b.visitor("192.0.2.2")
	r = other.must(other.signIn("mara@example.org", good))
	_, err := other.Flows.GiveFactor(t.Context(), other.Caller, r.FlowID, recovery("bbbb2222"))
	wantField(t, err, factor.CodeRecoveryFormat)
}

// What cannot be a code is refused with its field, and never shown.
func TestImportCodes_Refused(t *testing.T) {
	t.Parallel()
	var passwords *password.Service
	b := setup(t, withPasswords(&passwords))
	h := how(dry, func(h *flow.Import) {
		h.Hash = func(text string) (string, error) {
			stored, _, err := passwords.Adopt(text)
			return stored, err
		}
	})
	app := []people.TOTP{{Secret: seed}}
	var many []string
	for n := range factor.MostMoved + 1 {
		many = append(many, fmt.Sprintf("code-%04d", n))
	}
	got := b.brings(h, people.Person{Email: "a@example.org", TOTP: app, RecoveryCodes: []string{"bbbb2222", "123"}},
		people.Person{Email: "b@example.org", TOTP: app, RecoveryCodes: []string{"$2b$31$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu"}},
		people.Person{Email: "c@example.org", TOTP: app, RecoveryCodes: many}, people.Person{Email: "d@example.org", RecoveryCodes: many})
	want := []string{
		"refused recovery_codes[1]: must be a known hash, or have 6 to 64 characters beside blanks and hyphens",
		"refused recovery_codes[0]: ", "created; recovery codes beyond the most that an account may have",
		"created; recovery codes of accounts without a second factor",
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

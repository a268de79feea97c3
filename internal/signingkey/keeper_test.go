package signingkey_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/secret"
	"portico/internal/signingkey"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
)

const longest = 5 * time.Minute

// bundle is a node's keeper on a real database.
type bundle struct {
	testing.TB
	store  *store.Store
	clock  *clock.Manual
	box    *secret.Box
	keeper *signingkey.Keeper
}

func setup(t testing.TB) *bundle {
	t.Helper()
	s := sqlitetest.Open(t)
	b := &bundle{TB: t, store: s, clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)), box: secret.NewKey().Box("keys")}
	b.keeper = b.node(b.box)
	return b
}

// node returns the keeper of another process.
func (b *bundle) node(box *secret.Box) *signingkey.Keeper {
	return signingkey.NewKeeper(signingkey.Config{Clock: b.clock, Box: box, Longest: longest})
}

// follow does what the application does every few seconds.
func (b *bundle) follow(k *signingkey.Keeper) {
	b.Helper()
	renew, err := b.load(k)
	if err == nil && renew {
		if err = b.store.Write(b.Context(), func(tx *store.Tx) error { _, err := k.Renew(b.Context(), tx); return err }); err == nil {
			_, err = b.load(k)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) load(k *signingkey.Keeper) (renew bool, err error) {
	err = b.store.Read(b.Context(), func(tx *store.Tx) error {
		renew, err = k.Load(b.Context(), tx)
		return err
	})
	return renew, err
}

func (b *bundle) rotate() signingkey.Entry {
	b.Helper()
	var key signingkey.Entry
	err := b.store.Write(b.Context(), func(tx *store.Tx) (err error) {
		list, _, err := b.keeper.Rotate(b.Context(), tx)
		if err == nil {
			key = list[0]
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return key
}

func (b *bundle) revoke(id string) error {
	return b.store.Write(b.Context(), func(tx *store.Tx) error { _, err := b.keeper.Revoke(b.Context(), tx, id); return err })
}

// states lists the states of the keys: "signing upcoming".
func (b *bundle) states() string {
	b.Helper()
	var words []string
	err := b.store.Read(b.Context(), func(tx *store.Tx) error {
		list, err := b.keeper.List(b.Context(), tx)
		for _, e := range list {
			words = append(words, string(e.State))
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return strings.Join(words, " ")
}

func (b *bundle) sign(k *signingkey.Keeper) (token, id string) {
	b.Helper()
	token, id, err := k.Sign(map[string]any{"at": b.clock.Now().Unix()}, "JWT")
	if err != nil {
		b.Fatal(err)
	}
	return token, id
}

func (b *bundle) published(k *signingkey.Keeper) []byte {
	b.Helper()
	set, err := k.Published()
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// verify is an independent verifier, written from RFC 7515 and RFC 7518 3.4.
func verify(set []byte, token string) error {
	var published struct {
		Keys []struct{ Kty, Crv, Kid, Use, Alg, X, Y, D string }
	}
	if err := json.Unmarshal(set, &published); err != nil {
		return err
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return errors.New("not three parts")
	}
	decode := func(s string) []byte {
		data, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			return nil
		}
		return data
	}
	var header struct{ Alg, Kid, Typ string }
	if err := json.Unmarshal(decode(parts[0]), &header); err != nil || header.Alg != "ES256" || header.Typ != "JWT" {
		return fmt.Errorf("header %+v (%v)", header, err)
	}
	for _, k := range published.Keys {
		if k.D != "" {
			return errors.New("a private key is published")
		}
		if k.Kid != header.Kid || k.Kty != "EC" || k.Crv != "P-256" || k.Alg != "ES256" || k.Use != "sig" {
			continue
		}
		public := ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(decode(k.X)), Y: new(big.Int).SetBytes(decode(k.Y))}
		sum, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), decode(parts[2])
		if len(signature) == 64 && ecdsa.Verify(&public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
			return nil
		}
		return errors.New("a wrong signature")
	}
	return errors.New("an unknown key")
}

func TestSign(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, _, err := b.keeper.Sign("x", "JWT"); !errors.Is(err, signingkey.Unavailable) || b.keeper.Signer() != "" {
		t.Errorf("before the first Load: %v, want %v", err, signingkey.Unavailable)
	}
	b.follow(b.keeper)
	token, id := b.sign(b.keeper)
	if err := verify(b.published(b.keeper), token); err != nil || id != b.keeper.Signer() {
		t.Errorf("%s does not verify: %v", token, err)
	}
	other := b.node(b.box)
	b.follow(other)
	if _, same := b.sign(other); same != id || !slices.Equal(b.published(other), b.published(b.keeper)) {
		t.Error("another node has another key")
	}
	forged := token[:len(token)-4] + "AAAA"
	if verify(b.published(b.keeper), forged) == nil {
		t.Error("the verifier of the test accepts anything")
	}
}

// FLT-14: over three months with a manual rotation, a verifier may keep the set
// for MaxAge. It accepts every token during its validity, from either of two
// nodes.
func TestRotation_NoTokenIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nodes := []*signingkey.Keeper{b.keeper, b.node(b.box)}
	type signed struct {
		token string
		until time.Time
	}
	var tokens []signed
	var cached []byte
	signers := map[string]bool{}
	begun := b.clock.Now()
	check := func(step int) {
		for i, k := range nodes {
			if step%2 == i || k.Signer() == "" {
				b.follow(k) // the nodes read at different times
			}
		}
		if step%int(signingkey.MaxAge/time.Minute) == 0 {
			cached = b.published(nodes[1])
		}
		token, id := b.sign(nodes[step%2])
		signers[id] = true
		tokens = append(tokens, signed{token, b.clock.Now().Add(longest)})
		kept := tokens[:0]
		for _, s := range tokens {
			if b.clock.Now().Before(s.until) {
				kept = append(kept, s)
				if err := verify(cached, s.token); err != nil {
					t.Fatalf("after %v a token is refused: %v", b.clock.Now().Sub(begun), err)
				}
			}
		}
		tokens = kept
	}
	const month = 30 * 24 * time.Hour
	for cycle := range 3 {
		if cycle == 1 {
			b.rotate()
		}
		for step := range 60 { // around a change of keys, in minutes
			b.clock.Advance(time.Minute)
			check(step)
		}
		tokens = nil
		b.clock.Advance(month - 90*time.Minute)
		cached = nil
		for step := range 60 {
			b.clock.Advance(time.Minute)
			check(step)
		}
	}
	if len(signers) < 4 {
		t.Errorf("%d keys have signed in three months, want 4 or more", len(signers))
	}
	if n := len(strings.Fields(b.states())); n > 3 {
		t.Errorf("%d keys are kept: %s", n, b.states())
	}
}

func TestRotation_States(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.follow(b.keeper)
	for _, step := range []struct {
		wait time.Duration
		want string
	}{
		{0, "signing"},
		{30*24*time.Hour - 16*time.Minute, "signing"},
		{time.Minute, "signing upcoming"},
		{15*time.Minute - time.Microsecond, "signing upcoming"},
		{time.Microsecond, "retiring signing"},
		{20*time.Minute - time.Microsecond, "retiring signing"},
		{time.Microsecond, "signing"},
		{365 * 24 * time.Hour, "signing upcoming"},
	} {
		b.clock.Advance(step.wait)
		b.follow(b.keeper)
		if got := b.states(); got != step.want {
			t.Fatalf("%v later the keys are %q, want %q", step.wait, got, step.want)
		}
	}
}

func TestRotate_OneWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.follow(b.keeper)
	first := b.keeper.Signer()
	next := b.rotate()
	if again := b.rotate(); again.ID != next.ID || next.State != signingkey.Upcoming || next.ID == first {
		t.Errorf("rotated to %s, and again to %s", next.ID, again.ID)
	}
	b.follow(b.keeper)
	if !strings.Contains(string(b.published(b.keeper)), next.ID) || b.keeper.Signer() != first {
		t.Error("the next key is not published, or signs already")
	}
	b.clock.Advance(15 * time.Minute)
	if b.keeper.Signer() != next.ID {
		t.Error("the next key does not sign when its time has come, without another Load")
	}
}

// Several nodes start or rotate at the same moment. One of them adds the key.
func TestRenew_OneOfMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, wait := range []time.Duration{0, 30*24*time.Hour - 10*time.Minute} {
		b.clock.Advance(wait)
		var group sync.WaitGroup
		for range 8 {
			k := b.node(b.box)
			group.Go(func() { b.follow(k) })
		}
		group.Wait()
	}
	if got := b.states(); got != "signing upcoming" {
		t.Errorf("the keys are %q", got)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	b := setup(t)
	far := b.node(b.box)
	b.follow(b.keeper)
	b.follow(far)
	token, first := b.sign(b.keeper)
	if err := b.revoke(first); err != nil {
		t.Fatal(err)
	}
	for _, k := range []*signingkey.Keeper{b.keeper, far} {
		b.follow(k)
		if verify(b.published(k), token) == nil || k.Signer() == first || k.Signer() == "" {
			t.Error("the revoked key is published, signs, or has no successor")
		}
		fresh, _ := b.sign(k)
		if err := verify(b.published(k), fresh); err != nil {
			t.Errorf("a token of the successor: %v", err)
		}
	}
	for _, id := range []string{first, "nobody"} {
		if err := b.revoke(id); !errors.Is(err, signingkey.Missing) {
			t.Errorf("revoke %s: %v, want %v", id, err, signingkey.Missing)
		}
	}
	signer, next := b.keeper.Signer(), b.rotate()
	if err := b.revoke(next.ID); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Hour)
	b.follow(b.keeper)
	if b.keeper.Signer() != signer {
		t.Error("a key that was revoked before it signed took the place of the one that does")
	}
	b.rotate()
	b.clock.Advance(14 * time.Minute)
	token, _ = b.sign(b.keeper)
	b.clock.Advance(time.Minute)
	b.follow(b.keeper)
	if next := b.keeper.Signer(); next == signer || verify(b.published(b.keeper), token) != nil {
		t.Errorf("a minute after %s signed, %s signs, and the token does not verify", signer, next)
	}
	signer = b.keeper.Signer()
	if err := b.revoke(signer); err != nil {
		t.Fatal(err)
	}
	b.follow(b.keeper)
	if id := b.keeper.Signer(); id == "" || id == next.ID || id == first || id == signer {
		t.Errorf("after all keys were revoked %q signs", id)
	}
}

// A former key shows for a time that a token is ours, unless it is revoked. It gives no access.
func TestVerifyPast(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const month = 30 * 24 * time.Hour
	b.keeper = signingkey.NewKeeper(signingkey.Config{Clock: b.clock, Box: b.box, Longest: longest, Remember: month})
	b.follow(b.keeper)
	token, id := b.sign(b.keeper)
	verifies := func(when string, now, past bool) {
		t.Helper()
		b.follow(b.keeper)
		var claims map[string]any
		if err := b.keeper.Verify(token, "JWT", &claims); (err == nil) != now || (verify(b.published(b.keeper), token) == nil) != now || b.keeper.Signed(token) != now {
			t.Errorf("%s: Verify gives %v", when, err)
		}
		if err := b.keeper.VerifyPast(token, "JWT", &claims); (err == nil) != past {
			t.Errorf("%s: VerifyPast gives %v", when, err)
		}
	}
	b.rotate()
	b.clock.Advance(35*time.Minute - time.Microsecond)
	verifies("while it is published", true, true)
	b.clock.Advance(time.Microsecond)
	verifies("later", false, true)
	b.clock.Advance(month - 20*time.Minute - time.Microsecond)
	verifies("after a month", false, true)
	b.clock.Advance(time.Microsecond)
	verifies("then", false, false)
	if got := b.states(); got != "signing upcoming" || !errors.Is(b.revoke(id), signingkey.Missing) {
		t.Errorf("the keys are %q, and not those without the first", got)
	}
	token, id = b.sign(b.keeper)
	b.rotate()
	b.clock.Advance(time.Hour)
	verifies("of the next key", false, true)
	if err := b.revoke(id); err != nil {
		t.Fatal(err)
	}
	verifies("once it is revoked", false, false)
}

// A wrong master key is an error at the start. Later, the keys in use stay.
func TestLoad_WrongBox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.follow(b.keeper)
	token, _ := b.sign(b.keeper)
	if !b.node(b.box).Signed(token) {
		t.Error("a node that has read no keys denies that a token is ours")
	}
	if _, err := b.load(b.node(secret.NewKey().Box("keys"))); !errors.Is(err, secret.ErrOpen) {
		t.Errorf("opened with another key: %v, want %v", err, secret.ErrOpen)
	}
	before := b.keeper.Signer()
	foreign := signingkey.Key{ID: "x", Generation: 9, Sealed: []byte("nonsense"), SignsAt: b.clock.Now()}
	err := b.store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertSigningKey(t.Context(), foreign)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.load(b.keeper); err == nil || b.keeper.Signer() != before {
		t.Errorf("a damaged key: %v, and %q signs", err, b.keeper.Signer())
	}
	later := signingkey.NewKeeper(signingkey.Config{Clock: b.clock, Box: b.box, Longest: longest, Remember: 365 * 24 * time.Hour})
	for range 2 { // until it is not published anymore
		b.clock.Advance(30 * 24 * time.Hour)
		if err := b.store.Write(t.Context(), func(tx *store.Tx) error { _, err := later.Renew(t.Context(), tx); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.load(later); err != nil || later.Signer() == "" {
		t.Errorf("a damaged key that is only remembered: %v, and %q signs", err, later.Signer())
	}
}

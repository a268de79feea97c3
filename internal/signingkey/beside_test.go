package signingkey_test

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/signingkey"
	"portico/internal/store"
)

// Keys of another algorithm in addition to the keys of ES256: each rotates, signs and is
// revoked by itself, and neither deletes the other.
func TestOther_BesideES256(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"RS256", "EdDSA"} {
		t.Run(other, func(t *testing.T) {
			t.Parallel()
			testBeside(t, other)
		})
	}
}

func testBeside(t *testing.T, other string) {
	t.Helper()
	b := setup(t)
	b.follow(b.keeper) // an installation without the other one
	plain := b.keeper.Signer()
	both := signingkey.NewKeeper(signingkey.Config{Clock: b.clock, Box: b.box, Longest: longest, Algorithms: []string{other}})
	b.follow(both)
	if both.Signer() != plain {
		t.Error("the key of ES256 is another one")
	}
	verify := func(algorithm string) (id string) {
		t.Helper()
		token, id, err := both.SignBy(algorithm, map[string]string{"sub": "x"}, "JWT")
		if err != nil {
			t.Fatal(err)
		}
		text, err := both.Published()
		if err != nil {
			t.Fatal(err)
		}
		var set jose.JSONWebKeySet
		if err := json.Unmarshal(text, &set); err != nil {
			t.Fatal(err)
		}
		signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(algorithm)})
		if err != nil {
			t.Fatal(err)
		}
		keys := set.Key(id)
		if len(keys) != 1 || keys[0].Algorithm != algorithm || !keys[0].IsPublic() {
			t.Fatalf("%s: the set has %d keys of the id", algorithm, len(keys))
		}
		if _, err := signed.Verify(keys[0]); err != nil {
			t.Errorf("%s: %v", algorithm, err)
		}
		if key, ok := keys[0].Key.(*rsa.PublicKey); algorithm == "RS256" && (!ok || key.N.BitLen() != 2048) {
			t.Error("the key of RS256 is of another size")
		}
		return id
	}
	first := verify(other)
	verify("ES256")
	if _, _, err := b.keeper.SignBy(other, nil, "JWT"); !errors.Is(err, signingkey.Unavailable) {
		t.Errorf("without %s: %v", other, err)
	}
	b.follow(b.keeper) // a node without it reads and keeps its own keys only
	for range 40 {
		b.clock.Advance(24 * time.Hour)
		b.follow(both)
		b.follow(both)
	}
	if verify(other) == first || both.Signer() == plain {
		t.Error("a key was not rotated")
	}
	var list []signingkey.Entry
	err := b.store.Read(t.Context(), func(tx *store.Tx) (err error) {
		list, err = both.List(t.Context(), tx)
		return err
	})
	if err != nil || slices.ContainsFunc(list, func(e signingkey.Entry) bool { return e.ID == first || e.ID == plain }) || len(list) != 2 {
		t.Errorf("the keys are %+v, %v", list, err)
	}
	es, old := both.Signer(), verify(other)
	if err := b.store.Write(t.Context(), func(tx *store.Tx) error { _, err := both.Revoke(t.Context(), tx, old); return err }); err != nil {
		t.Fatal(err)
	}
	b.follow(both)
	if verify(other) == old || both.Signer() != es {
		t.Error("not the revoked key, and that alone, is gone")
	}
}

// An algorithm that is added while the keeper works changes nothing before its keys are
// loaded, and can be taken back.
func TestKeeper_Extend(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.follow(b.keeper)
	published := func() string {
		text, err := b.keeper.Published()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	before := published()
	undo := b.keeper.Extend([]string{"ES256", "EdDSA"})
	if got := published(); got != before {
		t.Errorf("without the new keys, the set is %s", got)
	}
	undo()
	if got := b.keeper.Algorithms(); !slices.Equal(got, []string{"ES256"}) {
		t.Errorf("taken back: %q", got)
	}
	if b.keeper.Extend([]string{"EdDSA"}) == nil {
		t.Error("an algorithm that was taken back cannot be added")
	}
	b.follow(b.keeper)
	if _, _, err := b.keeper.SignBy("EdDSA", map[string]string{}, "JWT"); err != nil || b.keeper.Extend([]string{"EdDSA"}) != nil {
		t.Errorf("after the load: %v", err)
	}
}

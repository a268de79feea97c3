package password

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portico/internal/fault"
	"portico/internal/secret"
)

// A hash that an earlier release stored must always verify.
func TestVerify_StoredHash(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	const encoded = "$argon2id$v=19$m=19456,t=2,p=1,keyid=qpi1FVER$mjMpYYWiAsdcSUYfUDAfUg$HWkqlnjzw+HhVBMXyblDPFXT0OkBH3uv8ZrYMQ1CUi4"
	if ok, rehash := verify(t, s, encoded, "quilt zebra violin moss"); !ok || rehash {
		t.Errorf("Verify = %v, %v, want a match that needs no new hash", ok, rehash)
	}
	if ok, rehash := verify(t, s, encoded, "quilt zebra violin mosS"); ok || rehash {
		t.Errorf("Verify of a wrong password = %v, %v", ok, rehash)
	}
}

func TestHash_SaltsDiffer(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	a, b := hashOf(t, s, "quilt zebra violin"), hashOf(t, s, "quilt zebra violin")
	if a == b {
		t.Error("two hashes of one password are equal")
	}
	if !strings.HasPrefix(a, "$argon2id$v=19$m=19456,t=2,p=1,keyid=") {
		t.Errorf("hash %s, want the parameters of the floor", a)
	}
}

// SEC-174, SEC-177, SEC-179: which spellings are the same password.
func TestVerify_SamePassword(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	long := func(n int, last string) string { return strings.Repeat("x", n-1) + last }
	for _, test := range []struct {
		name, chosen, typed string
		want                bool
	}{
		{"exact", "quilt zebra violin", "quilt zebra violin", true},
		{"case", "quilt zebra violin", "Quilt zebra violin", false},
		{"space before", "quilt zebra violin", " quilt zebra violin", false},
		{"space after", "quilt zebra violin", "quilt zebra violin ", false},
		{"only spaces", strings.Repeat(" ", 15), strings.Repeat(" ", 14), false},
		{"tab for space", "quilt zebra", "quilt\tzebra", false},
		{"decomposed", "café crème brûlée", "cafe\u0301 cre\u0300me bru\u0302le\u0301e", true},
		{"composed", "cafe\u0301 cre\u0300me", "café crème", true},
		{"accent left out", "café crème", "cafe creme", false},
		{"ligature", "\ufb01ne weather", "fine weather", false},
		{"full width", "\uff51uilt zebra", "quilt zebra", false},
		{"emoji", strings.Repeat("🦊", 15), strings.Repeat("🦊", 15), true},
		{"one emoji less", strings.Repeat("🦊", 15), strings.Repeat("🦊", 14), false},
		{"last of 71", long(71, "a"), long(71, "b"), false},
		{"last of 72", long(72, "a"), long(72, "b"), false},
		{"last of 73", long(73, "a"), long(73, "b"), false},
		{"last of 200", long(200, "a"), long(200, "b"), false},
		{"last of 256", long(256, "a"), long(256, "b"), false},
		{"across byte 72", strings.Repeat("é", 36) + "a", strings.Repeat("é", 36) + "b", false},
		{"256 astral", strings.Repeat("🦊", 256), strings.Repeat("🦊", 256), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if ok, _ := verify(t, s, hashOf(t, s, test.chosen), test.typed); ok != test.want {
				t.Errorf("%q typed as %q: %v, want %v", test.chosen, test.typed, ok, test.want)
			}
		})
	}
}

// SEC-175, SEC-179: an unusable password is refused with a reason before any
// hashing, and in the same way for known and unknown accounts.
func TestUnusablePassword(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	encoded := hashOf(t, s, "quilt zebra violin")
	for _, test := range []struct{ name, password, code string }{
		{"empty", "", CodeRequired},
		{"257 letters", strings.Repeat("x", 257), CodeTooLong},
		{"a megabyte", strings.Repeat("x", 1<<20), CodeTooLong},
		{"NUL", "quilt\x00zebra", CodeCharacter},
		{"broken UTF-8", "quilt\xffzebra", CodeCharacter},
	} {
		_, hashErr := s.Hash(t.Context(), test.password)
		_, _, verifyErr := s.Verify(t.Context(), encoded, test.password)
		fields, checkErr := s.Check(t.Context(), test.password)
		if checkErr != nil {
			t.Fatal(checkErr)
		}
		for call, got := range map[string]*fault.Error{
			"Hash":         fault.From(hashErr),
			"Verify":       fault.From(verifyErr),
			"VerifyNobody": fault.From(s.VerifyNobody(t.Context(), test.password)),
			"Check":        fault.InvalidFields(fields...),
		} {
			if got == nil || got.Kind != fault.Invalid || len(got.Fields) != 1 || got.Fields[0].Code != test.code {
				t.Errorf("%s: %s = %+v, want the field code %s", test.name, call, got, test.code)
			}
		}
	}
	if got := s.Stats().Finished; got != 1 {
		t.Errorf("%d pieces of work done, want only the first hash", got)
	}
}

func TestVerifyNobody_NeverSucceeds(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, password := range []string{"quilt zebra violin", s.nobody(), "password"} {
		if err := s.VerifyNobody(t.Context(), password); err != nil {
			t.Fatal(err)
		}
		if ok, rehash := verify(t, s, s.nobody(), password); ok || rehash {
			t.Errorf("%q verifies without an account", password)
		}
	}
}

// SEC-181: a change of cost or key takes effect at the next sign-in.
func TestVerify_Rehash(t *testing.T) {
	t.Parallel()
	old := hashOf(t, newService(t, nil), "quilt zebra violin")
	newer := func(t *testing.T) *secret.Key { return keyOf(t, 2).With(keyOf(t, 1)) }
	for _, test := range []struct {
		name   string
		change func(*testing.T, *Config)
		want   bool
	}{
		{"as before", func(*testing.T, *Config) {}, false},
		{"more passes", func(_ *testing.T, c *Config) { c.Cost = Cost{Memory: floorMemory, Passes: 3} }, true},
		{"more memory", func(_ *testing.T, c *Config) { c.Cost = Cost{Memory: floorMemory + 1, Passes: 2} }, true},
		{"newer key", func(t *testing.T, c *Config) { c.Key = newer(t) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, func(c *Config) { test.change(t, c) })
			if ok, rehash := verify(t, s, old, "quilt zebra violin"); !ok || rehash != test.want {
				t.Errorf("Verify = %v, %v, want a match, %v", ok, rehash, test.want)
			}
			if ok, rehash := verify(t, s, old, "quilt zebra viola"); ok || rehash {
				t.Errorf("Verify of a wrong password = %v, %v", ok, rehash)
			}
			if ok, rehash := verify(t, s, hashOf(t, s, "quilt zebra violin"), "quilt zebra violin"); !ok || rehash {
				t.Errorf("Verify of the new hash = %v, %v", ok, rehash)
			}
		})
	}
}

// After the cost was lowered, older hashes still verify. They use memory that
// is not kept, and are hashed again.
func TestVerify_DearerHash(t *testing.T) {
	t.Parallel()
	dearer := newService(t, func(c *Config) { c.Cost = Cost{Memory: 2 * floorMemory, Passes: 2} })
	old := hashOf(t, dearer, "quilt zebra violin")
	s := newService(t, func(c *Config) { c.Slots = 1 })
	if ok, rehash := verify(t, s, old, "quilt zebra violin"); !ok || !rehash {
		t.Errorf("Verify = %v, %v, want a match and a rehash", ok, rehash)
	}
	if ok, _ := verify(t, s, old, "quilt zebra viola"); ok {
		t.Error("a wrong password matches")
	}
	slot := <-s.slots.free
	if slot.Size() > floorMemory {
		t.Errorf("the slot keeps %d KiB", slot.Size())
	}
}

// FLT-15: a replaced key file is not mistaken for a wrong password.
func TestVerify_UnknownKey(t *testing.T) {
	t.Parallel()
	encoded := hashOf(t, newService(t, nil), "quilt zebra violin")
	s := newService(t, func(c *Config) { c.Key = keyOf(t, 2) })
	_, _, err := s.Verify(t.Context(), encoded, "quilt zebra violin")
	if err == nil || !strings.Contains(err.Error(), "restore that key file") {
		t.Errorf("Verify = %v, want an error that says what to do", err)
	}
}

// Once the former key is gone, its hashes verify by what was kept of it, and no
// other hash does.
func TestRemember(t *testing.T) {
	t.Parallel()
	former, current, third := keyOf(t, 1), keyOf(t, 2), keyOf(t, 3)
	old := hashOf(t, newService(t, func(c *Config) { c.Key = former }), "quilt zebra violin")
	older := hashOf(t, newService(t, func(c *Config) { c.Key = third }), "quilt zebra violin")
	both := newService(t, func(c *Config) { c.Key = current.With(former) })
	kept, ok := both.Former(former.ID())
	if !ok {
		t.Fatal("the former key is unknown")
	}
	s := newService(t, func(c *Config) { c.Key = keyOf(t, 2) })
	if _, _, err := s.Verify(t.Context(), old, "quilt zebra violin"); err == nil {
		t.Error("a hash verifies without its key")
	}
	if err := s.Remember(former.ID(), kept); err != nil {
		t.Fatal(err)
	}
	if ok, rehash := verify(t, s, old, "quilt zebra violin"); !ok || !rehash {
		t.Errorf("Verify = %v, %v, want a match and a rehash", ok, rehash)
	}
	if ok, _ := verify(t, s, old, "quilt zebra viola"); ok {
		t.Error("a wrong password matches")
	}
	if _, _, err := s.Verify(t.Context(), older, "quilt zebra violin"); err == nil {
		t.Error("a hash of a third key verifies")
	}
	if err := newService(t, func(c *Config) { c.Key = former }).Remember(former.ID(), kept); err == nil {
		t.Error("the former key opens what the current one has sealed")
	}
}

func TestEndedContext(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Hash(ctx, "quilt zebra violin"); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash = %v, want the context's error", err)
	}
	if ok, _, err := s.Verify(ctx, s.nobody(), "quilt zebra violin"); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("Verify = %v, %v, want the context's error", ok, err)
	}
	if _, err := s.Check(ctx, "quilt zebra violin"); !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %v, want the context's error", err)
	}
}

func TestNew_RefusesConfig(t *testing.T) {
	t.Parallel()
	valid := newService(t, nil)
	for _, test := range []struct {
		name, words string
		change      func(*Config)
	}{
		{"no key", "master key", func(c *Config) { c.Key = nil }},
		{"no list", "breached", func(c *Config) { c.Breached = nil }},
		{"memory below the least", "from 8", func(c *Config) { c.Cost = Cost{Memory: leastMemory - 1, Passes: 2} }},
		{"no passes", "from 1", func(c *Config) { c.Cost = Cost{Memory: floorMemory} }},
		{"memory above the ceiling", "to 262144", func(c *Config) { c.Cost = Cost{Memory: ceilingMemory + 1, Passes: 2} }},
		{"too short", "from 8", func(c *Config) { c.Policy = Policy{Min: 7, Max: 256} }},
		{"too long", "to 256", func(c *Config) { c.Policy = Policy{Min: 8, Max: 257} }},
		{"memory of all slots", "together", func(c *Config) { c.Cost, c.Slots = Cost{Memory: ceilingMemory, Passes: 2}, 33 }},
		{"negative queue", "negative", func(c *Config) { c.Queue = -1 }},
	} {
		config := Config{Key: keyOf(t, 1), Breached: valid.breached}
		test.change(&config)
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: New = %v, want an error with %q", test.name, err, test.words)
		}
	}
}

package password

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
)

// foreigners are hashes of "gärtner-Übung", made by libxcrypt, PHP and Node.
func foreigners() []string {
	return []string{
		"$2x$05$CCCCCCCCCCCCCCCCCCCCC.LCeh5Z3wq8PvjGGkN9Kb8Ze9Z6UEhQa",
		"$2b$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu",
		"$argon2id$v=19$m=256,t=2,p=1$cnVjbUFPS09mZ0VORUR5Mg$FUxMsiYGCvA4a2mR22vk7vDR+Eevvy6T6LDoqPH2aKU",
		"$6$seasalt$fGo8lUSqU1MiokWd5MkgenRaHGwhVJDao40AlPE1DtgzwcwJqd0FWqJ9cZLuzN3Etwicc.hz3KoD24lTXFK6t0",
		"$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$aqFpbE4xrsNnm3SGaphyTAVwTksU24FpetCi6QT/JuM",
		"{SSHA}AzAqs8o9Bzsks9ndVX42hEVDNT9wZXBwZXI=",
		"$hmac-sha256$10zQTAI1IotVVFhsbH1yMYAwTEoyXkTWtPUGC+onLH0$a2V5",
		"f453e7788d04c649d0ef32eac9707e51",
	}
}

func TestVerify_Foreign(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, hash := range foreigners() {
		stored, kind, err := s.Adopt(hash)
		if err != nil {
			t.Fatalf("Adopt(%s): %v", hash, err)
		}
		for _, encoded := range []string{hash, stored} {
			if ok, rehash := verify(t, s, encoded, "gärtner-Übung"); !ok || !rehash {
				t.Errorf("%s, %s: Verify = %v, %v, want a match and a rehash", kind, encoded, ok, rehash)
			}
			if ok, _ := verify(t, s, encoded, norm.NFD.String("gärtner-Übung")); !ok {
				t.Errorf("%s: the password of another keyboard does not match", kind)
			}
			if ok, rehash := verify(t, s, encoded, "gärtner-Ubung"); ok || rehash {
				t.Errorf("%s: a wrong password matches", kind)
			}
		}
	}
}

// SEC-406: neither a digest nor the stored form of an imported hash lets anybody guess
// without the master key.
func TestAdopt_NeedsTheKey(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, hash := range foreigners() {
		stored, _, err := s.Adopt(hash)
		if err != nil {
			t.Fatal(err)
		}
		if digest := hash[len(hash)-20:]; strings.Contains(stored, digest) {
			t.Errorf("%s has the digest", stored)
		}
		again, _, err := s.Adopt(stored)
		if err != nil || again != stored {
			t.Errorf("Adopt of %s = %s, %v", stored, again, err)
		}
		other := newService(t, func(c *Config) { c.Key = keyOf(t, 2) })
		if _, _, err := other.Verify(t.Context(), stored, "gärtner-Übung"); err == nil || !strings.Contains(err.Error(), "restore that key file") {
			t.Errorf("Verify without the key: %v", err)
		}
		if _, _, err := other.Adopt(stored); err == nil {
			t.Error("Adopt takes a hash whose key is unknown")
		}
		bare, _ := s.adopted(stored)
		if bytes.Equal(bare.tag, bare.Digest()) {
			t.Errorf("%s has no digest of its own", stored)
		}
		if ok, _ := verify(t, s, bare.Bare().String(), "gärtner-Übung"); ok {
			t.Errorf("the password matches %s without the tag", bare.Bare())
		}
	}
}

// What is stored is known as the same hash again after a change of the master key, and no other hash is.
func TestSame(t *testing.T) {
	t.Parallel()
	key := keyOf(t, 1)
	s := newService(t, func(c *Config) { c.Key = key })
	all := foreigners()
	var stored []string
	for _, hash := range all {
		text, _, err := s.Adopt(hash)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, text)
	}
	key.Replace(keyOf(t, 2).With(key))
	other := strings.Replace(all[1], "n2j1", "n2j2", 1) // the same salt and cost
	for i, text := range stored {
		for n, hash := range append(slices.Clone(all), other, "", "hunter2", stored[i]) {
			if s.Same(text, hash) != (i == n) {
				t.Errorf("%s is taken for that of %s, or not for its own", text, hash)
			}
		}
	}
	if own := hashOf(t, s, "quilt zebra violin"); s.Same(own, all[0]) || s.Same("", all[0]) || s.Same("", "") {
		t.Error("it takes an own hash, or none, for a foreign one")
	}
}

// An own hash is adopted as it is, if its key is there.
func TestAdopt_OwnHash(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	own := hashOf(t, s, "quilt zebra violin")
	if stored, kind, err := s.Adopt(own); stored != own || kind != "Portico" || err != nil {
		t.Errorf("Adopt = %s, %s, %v", stored, kind, err)
	}
	if _, _, err := newService(t, func(c *Config) { c.Key = keyOf(t, 2) }).Adopt(own); err == nil {
		t.Error("Adopt takes a hash whose key is unknown")
	}
}

func TestAdopt_Refuses(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	stored, _, err := s.Adopt(foreigners()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "hunter2", "$2b$31$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu", keyed, keyed + "00000000$AAAA$" + foreigners()[0],
		stored[:len(stored)-1], strings.Replace(stored, "$2x$", "$2x$$", 1), keyed + stored,
	} {
		if _, _, err := s.Adopt(text); err == nil {
			t.Errorf("Adopt takes %s", text)
		}
		if _, _, err := s.Verify(t.Context(), text, "gärtner-Übung"); err == nil || (len(text) > 20 && strings.Contains(err.Error(), text[len(text)-20:])) {
			t.Errorf("Verify of %s: %v", text, err)
		}
	}
}

// A foreign hash runs in the slots: with all of them taken it is refused as busy. What it
// takes beyond the memory of a slot is not kept.
func TestVerify_ForeignInSlots(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *Config) { c.Slots, c.Queue, c.Wait = 1, 1, 1 })
	slot := <-s.slots.free
	for _, hash := range foreigners() {
		if _, _, err := s.Verify(t.Context(), hash, "gärtner-Übung"); err == nil {
			t.Errorf("%.10s: checked without a slot", hash)
		}
	}
	s.slots.free <- slot
	large := "$argon2i$v=19$m=65536,t=1,p=4$MDEyMzQ1Njc4OWFiY2RlZg$" + strings.Repeat("A", 43)
	if ok, _ := verify(t, s, large, "gärtner-Übung"); ok {
		t.Error("a wrong password matches")
	}
	slot = <-s.slots.free
	if slot.Size() > floorMemory {
		t.Errorf("the slot keeps %d KiB", slot.Size())
	}
}

// SEC-405: after a cheap foreign hash the slot does the work of an own one. TestTiming measures
// the time.
func TestVerify_ForeignIsFilledUp(t *testing.T) {
	t.Parallel()
	for _, hash := range foreigners() {
		s := newService(t, func(c *Config) { c.Slots = 1 })
		_, _ = verify(t, s, hash, "gärtner-Ubung")
		slot := <-s.slots.free
		if slot.Size() != floorMemory {
			t.Errorf("%.10s: the slot has filled %d KiB", hash, slot.Size())
		}
	}
}

func TestWeigh(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	cheap, err := s.Weigh(t.Context(), foreigners()[7])
	if err != nil {
		t.Fatal(err)
	}
	dear, err := s.Weigh(t.Context(), "$2b$13$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu")
	if err != nil || cheap >= 1 || dear <= 1 {
		t.Errorf("MD5 weighs %.4f, bcrypt of cost 13 %.1f, %v", cheap, dear, err)
	}
}

// Other work on the machine makes some measurements longer, on either side. The shortest ones count.
func TestLeastTimes(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		took []time.Duration // ours twice, then theirs
		want float64
	}{
		"busy at first": {[]time.Duration{90 * ms, 90 * ms, 28 * ms, 20 * ms, 20 * ms, 28 * ms}, 1.4},
		"busy later":    {[]time.Duration{20 * ms, 70 * ms, 60 * ms, 20 * ms, 70 * ms, 28 * ms, 50 * ms, 80 * ms, 90 * ms}, 1.4},
		"much dearer":   {[]time.Duration{20 * ms, 20 * ms, 2000 * ms}, 100},
		"much cheaper":  {[]time.Duration{20 * ms, 20 * ms, ms}, 0.05},
	} {
		i := 0
		since := func(time.Time) time.Duration { i++; return c.took[(i-1)%len(c.took)] }
		work := func() error { return nil }
		if got, err := leastTimes(work, work, since); err != nil || math.Abs(got-c.want) > 0.001 {
			t.Errorf("%s: %.2f after %d measurements (%v), want %.2f", name, got, i, err, c.want)
		}
		if strings.HasPrefix(name, "much") && i != 3 {
			t.Errorf("%s: measured %d times", name, i)
		}
	}
}

// All pairs are tried, and the place of the one that fits is returned.
func TestVerifyAny(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	own, err := s.Hash(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	pairs := []Pair{{own, "gärtner-Übung"}}
	for _, hash := range foreigners() {
		stored, _, err := s.Adopt(hash)
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, Pair{stored, "wrong"})
	}
	before := s.Stats().Finished
	if place, err := s.VerifyAny(t.Context(), pairs); place != -1 || err != nil {
		t.Errorf("none fits: %d, %v", place, err)
	}
	if place, err := s.VerifyAny(t.Context(), nil); place != -1 || err != nil {
		t.Errorf("no pair: %d, %v", place, err)
	}
	for i := range pairs {
		fit := slices.Clone(pairs)
		if fit[i].Text = "gärtner-Übung"; i == 0 {
			fit[i].Text = "other"
		}
		if place, err := s.VerifyAny(t.Context(), fit); place != i || err != nil {
			t.Errorf("%d fits: %d, %v", i, place, err)
		}
	}
	if got, want := s.Stats().Finished-before, uint64(len(pairs)*(len(pairs)+1)+1); got != want {
		t.Errorf("%d hashes, want %d", got, want)
	}
	if _, err := s.VerifyAny(t.Context(), []Pair{{"$2b$31$x", "a"}}); err == nil {
		t.Error("a hash that cannot be checked")
	}
}

// A recovery code of Portico costs one hash, whether the account has one that begins so or none. Earlier a part of a second hash
// followed, so the time told the beginning of a code. Cheaper hashes are filled up to one.
func TestVerifyAny_OneHash(t *testing.T) {
	t.Parallel()
	now := Cost{2 * floorMemory, 1}
	for name, c := range map[string]struct {
		hash func(s *Service) string
		want uint32 // KiB of the slot: only what fills up takes the memory of today's cost
	}{
		"as much work": {func(s *Service) string { return oldHash(t, s, Cost{floorMemory, 2}, "code") }, floorMemory},
		"less work":    {func(s *Service) string { return oldHash(t, s, Cost{floorMemory, 1}, "code") }, 2 * floorMemory},
		"foreign":      {func(*Service) string { return foreigners()[7] }, 2 * floorMemory},
	} {
		s := newService(t, func(c *Config) { c.Slots, c.Cost = 1, now })
		if place, err := s.VerifyAny(t.Context(), []Pair{{c.hash(s), "wrong"}}); place != -1 || err != nil {
			t.Errorf("%s: %d, %v", name, place, err)
		}
		slot := <-s.slots.free
		if slot.Size() != c.want {
			t.Errorf("%s: the slot has filled %d KiB, want %d", name, slot.Size(), c.want)
		}
	}
}

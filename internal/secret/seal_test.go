package secret

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
)

func TestBox_RoundTrip(t *testing.T) {
	t.Parallel()
	box := NewKey().Box("test")
	for _, data := range [][]byte{nil, {}, {0}, []byte("a code: 012345"), bytes.Repeat([]byte{0xff}, 1<<20)} {
		sealed := box.Seal(data, "row")
		if opened, err := box.Open(sealed, "row"); err != nil || !bytes.Equal(opened, data) {
			t.Errorf("%d bytes did not come back: %v", len(data), err)
		}
		if len(data) > 4 && bytes.Contains(sealed, data[:4]) {
			t.Errorf("%d bytes can be read while sealed", len(data))
		}
		if bytes.Equal(sealed, box.Seal(data, "row")) {
			t.Errorf("%d bytes look the same when they are sealed twice", len(data))
		}
	}
}

// Sealed data open only with the same key, purpose and context.
func TestBox_Separation(t *testing.T) {
	t.Parallel()
	key := NewKey()
	sealed := key.Box("test").Seal([]byte("data"), "row")
	for name, tt := range map[string]struct {
		box     *Box
		context string
	}{
		"another context":      {key.Box("test"), "row2"},
		"no context":           {key.Box("test"), ""},
		"another purpose":      {key.Box("test2"), "row"},
		"a purpose like a MAC": {key.Box("mac test"), "row"},
		"another key":          {NewKey().Box("test"), "row"},
	} {
		if _, err := tt.box.Open(sealed, tt.context); !errors.Is(err, ErrOpen) {
			t.Errorf("%s: %v, want ErrOpen", name, err)
		}
	}
}

func TestBox_EveryBitCounts(t *testing.T) {
	t.Parallel()
	box := NewKey().Box("test")
	sealed := box.Seal([]byte("data"), "row")
	for bit := range len(sealed) * 8 {
		changed := bytes.Clone(sealed)
		changed[bit/8] ^= 1 << (bit % 8)
		if _, err := box.Open(changed, "row"); !errors.Is(err, ErrOpen) {
			t.Errorf("bit %d was changed: %v, want ErrOpen", bit, err)
		}
	}
	for n := range sealed {
		if _, err := box.Open(sealed[:n], "row"); !errors.Is(err, ErrOpen) {
			t.Errorf("cut to %d bytes: %v, want ErrOpen", n, err)
		}
	}
	if _, err := box.Open(append(sealed, 0), "row"); !errors.Is(err, ErrOpen) {
		t.Errorf("one byte more: %v, want ErrOpen", err)
	}
}

// Sealed data in databases must open after an upgrade, so the derivation of
// keys never changes.
func TestKey_SameForever(t *testing.T) {
	t.Parallel()
	key, err := ReadKey(keyFile(t, known(), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	const sum = "5b1b3c3c62d4e353dde6ef954eb92e22bc732a9de4f08a321e2e3fd130caeecb"
	if got := hex.EncodeToString(key.MAC("vector").Sum("a", "bc")); got != sum {
		t.Errorf("the sum is %s, want %s", got, sum)
	}
	sealed, _ := hex.DecodeString("38590f3f561e5283bb4e059f27e52ec1d4988c8f8d90db5224fcbe8141d286dacec6c785f80544e3f34e4ae0")
	if opened, err := key.Box("vector").Open(sealed, "row"); err != nil || string(opened) != "data" {
		t.Errorf("opened %q (%v)", opened, err)
	}
}

func TestMAC_Separation(t *testing.T) {
	t.Parallel()
	key := NewKey()
	mac := key.MAC("test")
	sums := map[string]string{}
	for name, sum := range map[string][]byte{
		"no part":              mac.Sum(),
		"an empty part":        mac.Sum(""),
		"two empty parts":      mac.Sum("", ""),
		"abc":                  mac.Sum("abc"),
		"a, bc":                mac.Sum("a", "bc"),
		"ab, c":                mac.Sum("ab", "c"),
		"a length in a part":   mac.Sum("a\x00\x00\x00\x02bc"),
		"another purpose":      key.MAC("test2").Sum("abc"),
		"a purpose like a box": key.MAC("box test").Sum("abc"),
		"another key":          NewKey().MAC("test").Sum("abc"),
	} {
		if other, taken := sums[string(sum)]; taken || len(sum) != 32 {
			t.Errorf("%s gives %d bytes, the same as %q", name, len(sum), other)
		}
		sums[string(sum)] = name
	}
	if !Equal(mac.Sum("abc"), key.MAC("test").Sum("abc")) {
		t.Error("the same parts give another sum the second time")
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"abc", "abc", true}, {"abc", "abd", false}, {"abc", "ab", false}, {"", "a", false}} {
		if Equal([]byte(tt.a), []byte(tt.b)) != tt.want {
			t.Errorf("Equal(%q, %q), want %v", tt.a, tt.b, tt.want)
		}
	}
}

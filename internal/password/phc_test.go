package password

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

const validHash = "$argon2id$v=19$m=19456,t=2,p=1,keyid=AAECAwQF$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

func TestParse(t *testing.T) {
	t.Parallel()
	h, err := parse(validHash)
	if err != nil {
		t.Fatal(err)
	}
	salt := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	if h.cost != floor() || h.keyID != "AAECAwQF" || !bytes.Equal(h.salt, salt) || len(h.tag) != 32 {
		t.Errorf("parse = %+v", h)
	}
	if h.String() != validHash {
		t.Errorf("String = %s, want %s", h, validHash)
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	change := func(old, changed string) string { return strings.Replace(validHash, old, changed, 1) }
	for name, encoded := range map[string]string{
		"empty":              "",
		"plain text":         "quilt zebra violin",
		"bcrypt":             "$2b$12$abcdefghijklmnopqrstuuN8fX1m3b0v1Z0rM0sUWJvC6qk1J3p2e",
		"argon2i":            change("argon2id", "argon2i"),
		"older version":      change("v=19", "v=16"),
		"no key":             change(",keyid=AAECAwQF", ""),
		"two lanes":          change("p=1", "p=2"),
		"leading zero":       change("m=19456", "m=019456"),
		"sign":               change("t=2", "t=+2"),
		"space":              change("t=2", "t= 2"),
		"no passes":          change("t=2", "t=0"),
		"too many passes":    change("t=2", "t=33"),
		"four gigabytes":     change("m=19456", "m=4294967295"),
		"more than 32 bits":  change("m=19456", "m=4294967296"),
		"short salt":         change("AAECAwQFBgcICQoLDA0ODw", "AAECAwQF"),
		"short tag":          strings.TrimSuffix(validHash, "Hh8"),
		"loose last bits":    strings.TrimSuffix(validHash, "8") + "9",
		"padding":            validHash + "=",
		"line end":           validHash + "\n",
		"one part too many":  validHash + "$",
		"other alphabet":     change("AAECAwQFBgcICQoLDA0ODw", "AAECAwQFBgcICQoLDA0O-_"),
		"a very long string": validHash + strings.Repeat("A", 1<<20),
	} {
		if h, err := parse(encoded); !errors.Is(err, errHash) {
			t.Errorf("%s: parse = %+v, %v, want errHash", name, h, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(validHash)
	f.Add("$argon2id$v=19$m=8,t=1,p=1,keyid=$$")
	f.Fuzz(func(t *testing.T, encoded string) {
		h, err := parse(encoded)
		if err != nil {
			return
		}
		if h.String() != encoded {
			t.Errorf("%q is read as %q", encoded, h)
		}
		if h.cost.from(least()) != nil {
			t.Errorf("%q has a cost of %v", encoded, h.cost)
		}
	})
}

package foreign

import (
	"errors"
	"strings"
	"testing"
)

// A hash whose check would stop the server is refused, with what it claims and the limit.
func TestParse_RefusesCost(t *testing.T) {
	t.Parallel()
	salt, digest := "MDEyMzQ1Njc4OWFiY2RlZg", strings.Repeat("A", 43)
	for _, test := range []struct{ hash, claim string }{
		{"$2b$16$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu", "a cost of 16: from 4 to 15"},
		{"$2a$31$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu", "a cost of 31"},
		{"$2a$03$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu", "a cost of 3"},
		{"$pbkdf2-sha256$i=2147483648,l=32$" + salt + "$" + digest, "iterations of 2147483648: from 1 to 5000000"},
		{"$pbkdf2-sha1$i=3000000,l=32$" + salt + "$" + digest, "from 1 to 2500000"}, // two blocks
		{"$pbkdf2-sha256$i=0,l=32$" + salt + "$" + digest, "iterations of 0"},
		{"$pbkdf2-sha256$99999999999999999999$" + salt + "$" + digest, "from 1 to 5000000"},
		{"pbkdf2_sha256$2147483648$salt$" + digest, "iterations of 2147483648"},
		{"$scrypt$ln=20,r=8,p=1$" + salt + "$" + digest, "memory in KiB of 1048576"},
		{"$scrypt$ln=14,r=8,p=65$" + salt + "$" + digest, "parallelism of 65"},
		{"$scrypt$ln=63,r=8,p=1$" + salt + "$" + digest, "logarithm of N of 63"},
		{"$scrypt$ln=20,r=1,p=64$" + salt + "$" + digest, "work (N*r*p) of 67108864"},
		{"$scrypt$ln=1,r=1048576,p=1$" + salt + "$" + digest, "block size of 1048576"},
		{"$firebase-scrypt$ln=20,r=8$" + salt + "$Bw$" + digest + "$" + digest, "memory in KiB"},
		{"$argon2id$v=19$m=4194304,t=1,p=1$" + salt + "$" + digest, "memory in KiB of 4194304: from 8 to 262144"},
		{"$argon2id$v=19$m=262144,t=17,p=1$" + salt + "$" + digest, "passes of 17: from 1 to 16"},
		{"$argon2id$v=19$m=64,t=1,p=9$" + salt + "$" + digest, "from 72"},
		{"$argon2id$v=19$m=64,t=4294967296,p=1$" + salt + "$" + digest, "passes of 4294967296"},
		{"$6$rounds=999999999$salt$" + strings.Repeat("a", 86), "rounds of 999999999: from 1000 to 1000000"},
		{"$P$SIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "rounds of 1073741824: from 1 to 1048576"},
		{strings.Repeat("0", 1025), "1025 bytes"},
	} {
		_, err := Parse(test.hash)
		if err == nil || !strings.Contains(err.Error(), test.claim) {
			t.Errorf("Parse(%.60s) = %v, want an error with %q", test.hash, err, test.claim)
		}
	}
}

func TestParse_RefusesForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "hunter2", "$", "$2b$", "$2b$12", "$2b$1x$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu", "$2b$05$CCCC", "$2z$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu",
		"$pbkdf2-sha256$i=1000$$", "$pbkdf2-sha256$i=1000,l=31$AAAA$" + strings.Repeat("A", 43), "$pbkdf2-sha256$-5$AAAA$" + strings.Repeat("A", 43),
		"$scrypt$ln=14,r=8$AAAA$" + strings.Repeat("A", 43), "$scrypt$r=8,ln=14,p=1$AAAA$" + strings.Repeat("A", 43), "$scrypt$ln=16385,r=8,p=1$AAAA$AAAA",
		"$argon2id$v=18$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$" + strings.Repeat("A", 43), "$argon2id$v=19$m=64,t=1,p=1,keyid=00000000$MDEyMzQ1Njc4OWFiY2RlZg$" + strings.Repeat("A", 43),
		"$argon2id$v=19$m=64,t=1,p=1$AAAA$" + strings.Repeat("A", 43), "$5$salt", "$5$salt$short", "$6$salt$" + strings.Repeat("!", 86), "$1$toolongsalt$" + strings.Repeat("a", 22),
		"$P$", "$P$!IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "{SSHA}", "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "{SHA}AzAqs8o9Bzsks9ndVX42hEVDNT9wZXBwZXI=", "{SSHA}!!!!",
		"$md5$salt=beside$AAAA$AAAA", "$hmac-sha256$AAAA$a2V5", "$hmac-sha256$" + strings.Repeat("A", 43) + "$", strings.Repeat("g", 32), "abcdef", "$sha1$pf=AAAA$AAAA$" + strings.Repeat("A", 27),
	} {
		if h, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %s", text, h.Kind())
		} else if !errors.Is(err, ErrForm) && !strings.Contains(err.Error(), "claims") {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, v := range vectors() {
		f.Add(v.hash)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(h.String())
		if err != nil || again.String() != h.String() {
			t.Errorf("%q: %v, %v", text, again, err)
		}
		if h.Memory() > mostMemory {
			t.Errorf("%q takes %d KiB", text, h.Memory())
		}
	})
}

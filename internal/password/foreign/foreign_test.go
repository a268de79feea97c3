package foreign

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"portico/internal/password/argon2"
)

const (
	typed = "gärtner-Übung"
	long  = "Ünï" // forty times: 200 bytes
)

// vector is a password and its hash, which another program made.
type vector struct{ by, password, hash string }

func vectors() []vector {
	b64 := func(hexed string) string {
		b, _ := hex.DecodeString(hexed)
		return base64.RawStdEncoding.EncodeToString(b)
	}
	return []vector{
		{"libxcrypt", typed, "$2x$05$CCCCCCCCCCCCCCCCCCCCC.LCeh5Z3wq8PvjGGkN9Kb8Ze9Z6UEhQa"},
		{"libxcrypt", typed, "$2a$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu"},
		{"libxcrypt", typed, "$2b$05$CCCCCCCCCCCCCCCCCCCCC.n2j1hFSomiUxQOwx03ZIRD/Txq/hqTu"},
		{"libxcrypt", strings.Repeat(long, 40), "$2x$05$CCCCCCCCCCCCCCCCCCCCC.x4oNy4v8PcVvHgKOmSFANGPHAK1Ln12"},
		{"libxcrypt", strings.Repeat(long, 40), "$2b$05$CCCCCCCCCCCCCCCCCCCCC.o3oDtyDWLxhXDpXQ4U1BTsFqYw1x7ey"},
		{"PHP", typed, "$2y$05$m6Rz8MlWFhwKrFODHK1c1ONYi3M1IR.zXIDUKdp2mTgcYc2fj8Cs2"},
		{"crypt_blowfish", "U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"},
		{"crypt_blowfish", "\xff\xff\xa3", "$2x$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e"},
		{"the form of Django, of libxcrypt", typed, "bcrypt_sha256$$2b$05$CCCCCCCCCCCCCCCCCCCCC.zofUaFse8Ow72ZWJBdg8GdF5lHqVmOW"},
		{"RFC 6070", "password", "$pbkdf2-sha1$4096$" + b64("73616c74") + "$" + b64("4b007901b765489abead49d926f721d065a429c1")},
		{"Node", typed, "$pbkdf2-sha1$i=1000,l=32$MDEyMzQ1Njc4OWFiY2RlZg$NWA9N1JL7iW3cZtaDPN0ss8qb4V+jpQlaUHjSxut1QY"},
		{"Node", typed, "$pbkdf2-sha256$i=1000,l=32$MDEyMzQ1Njc4OWFiY2RlZg$bDWejd6IQ2Safc1SCbbognXBomLZhYfDjN4i0pWt6uI"},
		{"Node", typed, "$pbkdf2-sha512$i=1000,l=32$MDEyMzQ1Njc4OWFiY2RlZg$ugduGR1UJUxF6xhh492H/at75Dncz38n3vwtb8vxc3U"},
		{"the form of Django, of hashlib", typed, "pbkdf2_sha256$1000$seasalt$b7PCXil4+EBw1M592OhkefzFwGbX5p6PFDyHxJpjKLw="},
		{"the form of Werkzeug, of hashlib", typed, "pbkdf2:sha256:1000$seasalt$6fb3c25e2978f84070d4ce7dd8e86479fcc5c066d7e69e8f143c87c49a6328bc"},
		{"RFC 7914", "pleaseletmein", "$scrypt$ln=14,r=8,p=1$" + b64("536f6469756d43686c6f72696465") + "$" + b64("7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887")},
		{"Node", typed, "$scrypt$ln=14,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$aqFpbE4xrsNnm3SGaphyTAVwTksU24FpetCi6QT/JuM"},
		{"Node, in the form of Kratos", typed, "$scrypt$ln=16384,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg==$aqFpbE4xrsNnm3SGaphyTAVwTksU24FpetCi6QT/JuM="},
		{"the form of Werkzeug, of hashlib", typed, "scrypt:16384:8:1$seasalt$b8c4c5ae4b4062d67067109c467788188afb0184968c92878c587a194cca5ebbe424f1fe6b761563cad6e8ac254b3fdb9d1dc29884c500aa612dba367a4f3013"},
		{"Better Auth's hash, of Node", typed, "$scrypt-nfkc$ln=14,r=16,p=1$" + base64.RawStdEncoding.EncodeToString([]byte("000102030405060708090a0b0c0d0e0f")) + "$" +
			b64("deac3b145dc1be9c209cb5ac4a75071b5957c2372426d8000cc5de1eb15ee0599780d49b7d589cf1b694bd99dc452e6c02f9313aecc9c50a943ddcd717b9ec85")},
		{"firebase/scrypt", "user1password", "$firebase-scrypt$ln=14,r=8$42xEC+ixf3L2lw==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="},
		{"firebase/scrypt, in the form of Kratos", "user1password", "$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="},
		{"PHP", typed, "$argon2i$v=19$m=256,t=2,p=1$U1ZyQzlLQTcuZ0wyaU91bw$11HUyHmTEiK2cbHU7rRIMl+pBoXP7tlmAbHYtgjw2PE"},
		{"PHP", typed, "$argon2id$v=19$m=256,t=2,p=1$cnVjbUFPS09mZ0VORUR5Mg$FUxMsiYGCvA4a2mR22vk7vDR+Eevvy6T6LDoqPH2aKU"},
		{"phc-winner-argon2", "password", "$argon2i$m=256,t=2,p=2$c29tZXNhbHQ$tsEVYKap1h6scGt5ovl9aLRGOqOth+AMB+KwHpDFZPs"},
		{"the form of Django, of PHP", typed, "argon2$argon2id$v=19$m=256,t=2,p=1$cnVjbUFPS09mZ0VORUR5Mg$FUxMsiYGCvA4a2mR22vk7vDR+Eevvy6T6LDoqPH2aKU"},
		{"the specification of SHA-crypt", "Hello world!", "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"},
		{"libxcrypt", typed, "$5$rounds=1400$anotherlongsalts$PM5nmIj3B7y46tXFGF.UQgyZOcdwBaMJ.yXwakptDq5"},
		{"libxcrypt", typed, "$6$saltstring$XiBMHL4uJeCgsuRoqNwISwOYADVvIFkt1.mgw1Jw1jr/jbAL8dxW1qyYIvOD0owumk4FgaFEJWgAw5w/lS95X."},
		{"OpenSSL", typed, "$6$seasalt$fGo8lUSqU1MiokWd5MkgenRaHGwhVJDao40AlPE1DtgzwcwJqd0FWqJ9cZLuzN3Etwicc.hz3KoD24lTXFK6t0"},
		{"OpenSSL", typed, "$1$seasalt$OJMuvh4vMi5gRoBVFclKN/"},
		{"libxcrypt", typed, "{CRYPT}$1$abcdefgh$aEfDKW2N45u1Yj1krplSs."},
		{"phpass", "test12345", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"},
		{"phpass", "test12345", "$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"},
		{"Node", typed, "{SMD5}DSxzGc9ooqaURTUd6/B1tnBlcHBlcg=="},
		{"Node", typed, "{SSHA}AzAqs8o9Bzsks9ndVX42hEVDNT9wZXBwZXI="},
		{"Node", typed, "{SSHA256}UfD0yhi7Er0LaTCg695hOjBq2u/SWW+hnQg5CFtjQdhwZXBwZXI="},
		{"Node", typed, "{SSHA512}8TMX8K3NXvpjo7MNDWZvEI5oS0X56PetPg2KpDsheAoMBT6ImYwr4kPNIcru6oo2876J8NdbhrGOjFqKxKt0xnBlcHBlcg=="},
		{"RFC 2307", "password", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="},
		{"Node", typed, "$md5$salt=before$cGVwcGVy$jSPZqBFpkPqmXTje1sngpA"},
		{"Node", typed, "$sha1$salt=after$cGVwcGVy$AzAqs8o9Bzsks9ndVX42hEVDNT8"},
		{"Node", typed, "$sha256$salt=before$cGVwcGVy$wadsrI4EWiB2WEKs0VyKRbQ+tRfuoLUEjnUwfcREtWM"},
		{"Node, in the form of Kratos", typed, "$sha512$pf=e1BBU1NXT1JEfXtTQUxUfQ==$cGVwcGVy$8TMX8K3NXvpjo7MNDWZvEI5oS0X56PetPg2KpDsheAoMBT6ImYwr4kPNIcru6oo2876J8NdbhrGOjFqKxKt0xg=="},
		{"the form of Django, of Node", typed, "sha1$pepper$d153ebf5be587d8ee1cb7d970e46f3f8534d7662"},
		{"Node", typed, "f453e7788d04c649d0ef32eac9707e51"},
		{"Node", typed, "219B719DA49071DD8059032DB26F29A36F85004A"},
		{"Node", typed, "02e31ee08e8b5efc74752f934be6f587c7c95a4a1c8561bdd4893d86a4edfc67"},
		{"Node", typed, "$hmac-md5$7Q9jc7HbepEB/g6Zwn0GjA$a2V5"},
		{"Node", typed, "$hmac-sha1$1WCkEhiU6OBE36h0Zt2iVUrTC3Q$a2V5"},
		{"Node", typed, "$hmac-sha256$10zQTAI1IotVVFhsbH1yMYAwTEoyXkTWtPUGC+onLH0$a2V5"},
		{"Node", typed, "$hmac-sha512$EehSIaRJIVAiZL5zr7+F5fgdsd6zfLDuHp+9pWqifS5ppnQRL8yJmzCoty9vzgnGFmrXNxTKzTIIw+9UAZ6w+w$a2V5"},
	}
}

func parse(t testing.TB, text string) Hash {
	t.Helper()
	h, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return h
}

func match(t testing.TB, h Hash, password string) bool {
	t.Helper()
	ok, err := h.Match(argon2.NewArena(), password, func(digest []byte) bool { return bytes.Equal(digest, h.Digest()) })
	if err != nil {
		t.Fatalf("%s: %v", h.Kind(), err)
	}
	return ok
}

func TestMatch_Vectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors() {
		h := parse(t, v.hash)
		if !match(t, h, v.password) {
			t.Errorf("%s (%s): the password does not match %s", v.by, h.Kind(), v.hash)
		}
		if match(t, h, v.password[1:]) {
			t.Errorf("%s (%s): a wrong password matches", v.by, h.Kind())
		}
	}
}

// The canonical text is read again, and so is the hash without its digest.
func TestString(t *testing.T) {
	t.Parallel()
	for _, v := range vectors() {
		h := parse(t, v.hash)
		again := parse(t, h.String())
		if again.String() != h.String() || again.Kind() != h.Kind() || !bytes.Equal(again.Digest(), h.Digest()) {
			t.Errorf("%s: read again as %s, %s", v.hash, again.Kind(), again)
		}
		bare := parse(t, h.Bare().String())
		if bytes.Equal(bare.Digest(), h.Digest()) || strings.Contains(bare.String(), h.tail()) {
			t.Errorf("%s keeps its digest: %s", v.hash, bare)
		}
		if bare.Bare().String() != h.Bare().String() || match(t, bare, v.password) {
			t.Errorf("%s: without its digest %s", v.hash, bare)
		}
	}
}

// A password that was typed in another form of Unicode matches in both forms: other systems
// hash what was typed.
func TestMatch_Forms(t *testing.T) {
	t.Parallel()
	decomposed := strings.NewReplacer("ä", "a\u0308", "Ü", "U\u0308").Replace(typed)
	for _, test := range []struct {
		hashed, typed string
		want          bool
	}{
		{typed, typed, true}, {typed, decomposed, true},
		{decomposed, decomposed, true}, {decomposed, typed, false},
	} {
		h := parse(t, "$sha256$"+base64.StdEncoding.EncodeToString(algorithms()[2].sum(algorithms()[2].made(), []byte(test.hashed))))
		if got := match(t, h, test.typed); got != test.want {
			t.Errorf("%+q hashed, %+q typed: %v", test.hashed, test.typed, got)
		}
	}
	count := 0
	h := parse(t, "$sha256$"+strings.Repeat("A", 43))
	_, _ = h.Match(argon2.NewArena(), decomposed, func([]byte) bool { count++; return false })
	if count != 2 {
		t.Errorf("%d forms were tried", count)
	}
}

// SHA-crypt and phpass take time for each byte of a password. A longer one than they ever hashed is
// refused before.
func TestMatch_LongPassword(t *testing.T) {
	t.Parallel()
	h := parse(t, "$6$saltstring$"+strings.Repeat(".", 86))
	var digest []byte
	_, _ = h.Match(argon2.NewArena(), strings.Repeat("a", mostTyped+1), func(d []byte) bool { digest = d; return false })
	if digest != nil {
		t.Error("it was hashed")
	}
}

package argon2

import (
	"bytes"
	"encoding/hex"
	"testing"

	oracle "golang.org/x/crypto/argon2"
)

// RFC 9106 5.1 and 5.2, and the test vectors of the reference implementation for both
// versions (phc-winner-argon2, test.c and kats/argon2d).
func TestDeriveAs_Vectors(t *testing.T) {
	t.Parallel()
	rfc := Input{Password: bytes.Repeat([]byte{1}, 32), Salt: bytes.Repeat([]byte{2}, 16), Secret: bytes.Repeat([]byte{3}, 8), Data: bytes.Repeat([]byte{4}, 12)}
	plain := Input{Password: []byte("password"), Salt: []byte("somesalt")}
	each(t, func(t *testing.T, a *Arena) {
		for _, test := range []struct {
			v    Variant
			in   Input
			p    Params
			want string
		}{
			{Variant{0, 0x13}, rfc, Params{32, 3, 4}, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"},
			{Variant{1, 0x13}, rfc, Params{32, 3, 4}, "c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8"},
			{Variant{1, 0x13}, plain, Params{256, 2, 1}, "89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f"},
			{Variant{1, 0x10}, plain, Params{256, 2, 1}, "fd4dd83d762c49bdeaf57c47bdcd0c2f1babf863fdeb490df63ede9975fccf06"},
			{Variant{1, 0x10}, plain, Params{256, 2, 2}, "b6c11560a6a9d61eac706b79a2f97d68b4463aa3ad87e00c07e2b01e90c564fb"},
		} {
			tag := make([]byte, 32)
			if err := a.DeriveAs(test.v, tag, test.in, test.p); err != nil {
				t.Fatal(err)
			}
			if got := hex.EncodeToString(tag); got != test.want {
				t.Errorf("%+v %+v: %s, want %s", test.v, test.p, got, test.want)
			}
		}
		for _, p := range []Params{{8, 1, 1}, {31, 5, 3}, {516, 2, 1}, {1028, 3, 2}, {2048, 2, 4}} {
			tag := make([]byte, 32)
			if err := a.DeriveAs(Variant{1, 0x13}, tag, plain, p); err != nil {
				t.Fatal(err)
			}
			want := oracle.Key(plain.Password, plain.Salt, p.Passes, p.Memory, uint8(p.Lanes), 32)
			if string(tag) != string(want) {
				t.Errorf("Argon2i %+v: %x, want %x", p, tag, want)
			}
		}
	})
	if err := NewArena().DeriveAs(Variant{3, 0x13}, make([]byte, 32), plain, Params{256, 2, 1}); err == nil {
		t.Error("an unknown type was computed")
	}
}

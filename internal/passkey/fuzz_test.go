package passkey_test

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime/metrics"
	"testing"

	"portico/internal/clock"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/secret"
)

// most is how many bytes one answer may allocate.
const most = 10 << 20

// FuzzUse holds that a signature counts for the bytes that the owner has signed, and
// for no others.
func FuzzUse(f *testing.F) {
	k := keeper(f, clock.System{})
	a, p, err := made(f, k)
	if err != nil {
		f.Fatal(err)
	}
	answer := a.Use(k.Challenge(passkey.SignIn, secret.Token(), ""))
	client, data, signature := raw64(f, answer.ClientData), raw64(f, answer.AuthData), raw64(f, answer.Signature)
	f.Add(client, data, signature)
	f.Add([]byte(`{"type":"webauthn.get","challenge":"","origin":""}`), data[:36], signature[:8])
	f.Add([]byte(`{}`), append(data, 0xa1, 0x61), []byte{0x30, 0x80})
	for _, head := range heads {
		f.Add(client, append(append([]byte{}, data[:32]...), append([]byte{0x85, 0, 0, 0, 1}, head...)...), signature)
	}
	f.Fuzz(func(t *testing.T, c, d, s []byte) {
		before := allocated()
		u, err := passkey.ParseUse(passkey.Answer{
			Credential: answer.Credential, ClientData: secret.Encode(c), AuthData: secret.Encode(d), Signature: secret.Encode(s), Handle: answer.Handle,
		})
		if err == nil {
			_, _, err = k.Check(u, p)
		}
		if n := allocated() - before; n > most {
			t.Errorf("%d bytes", n)
		}
		switch {
		case err == nil && (string(c) != string(client) || string(d) != string(data)):
			t.Errorf("accepted: %q %x %x", c, d, s)
		case err != nil && !errors.Is(err, passkey.Refused) && !errors.Is(err, passkey.Unproven):
			t.Error(err)
		}
	})
}

// FuzzCreation holds that a creation is refused, or gives a passkey with the credential
// of the answer and a key of a sane size.
func FuzzCreation(f *testing.F) {
	k := keeper(f, clock.System{})
	a := passkeytest.New(host, origin, k.Handle(owner, nil))
	answer := a.Create(k.Challenge(passkey.Add, secret.Token(), "session"))
	client, object := raw64(f, answer.ClientData), raw64(f, answer.Attestation)
	f.Add(client, object)
	for _, head := range heads {
		f.Add(client, head)
		f.Add(client, append(append([]byte{}, object[:len(object)-77]...), head...)) // in place of the key
	}
	for _, cose := range oddKeys() {
		odd := *a
		odd.COSE = cose
		f.Add(client, raw64(f, odd.Create("").Attestation))
	}
	f.Fuzz(func(t *testing.T, c, o []byte) {
		before := allocated()
		made, err := passkey.ParseCreation(passkey.Answer{
			Credential: answer.Credential, ClientData: secret.Encode(c), Attestation: secret.Encode(o), Transports: string(c),
		})
		var p passkey.Passkey
		if err == nil {
			p, err = k.Accept(made, passkey.Add, owner, a.Handle)
		}
		if n := allocated() - before; n > most {
			t.Errorf("%d bytes", n)
		}
		switch {
		case err != nil && !errors.Is(err, passkey.Refused) && !errors.Is(err, passkey.Unproven):
			t.Error(err)
		case err == nil && (secret.Encode(p.Credential) != answer.Credential || len(p.PublicKey) > 2<<10 || p.Counter > math.MaxUint32):
			t.Errorf("accepted: %+v", p)
		}
	})
}

// heads begin values of CBOR that are longer or deeper than their bytes.
var heads = [][]byte{
	{0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0xbb, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}, {0x5b, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0xff},
	{0x9f, 0x01}, {0xbf, 0x01}, {0x5f, 0x41}, {0xc0, 0xc1, 0xc2}, {0xf9, 0x7e, 0x00}, {0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81, 0x81},
}

// oddKeys returns public keys that are malformed, or that nothing signs with.
func oddKeys() map[string][]byte {
	zero := make([]byte, 32)
	ec := func(alg, curve byte, x, y []byte) []byte {
		return join([]byte{0xa5, 0x01, 0x02, 0x03, alg, 0x20, curve, 0x21}, sized(x), []byte{0x22}, sized(y))
	}
	ed := func(curve byte, x []byte) []byte {
		return join([]byte{0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, curve, 0x21}, sized(x))
	}
	return map[string][]byte{
		"a point that is not on the curve": ec(0x26, 1, zero, append(zero[:31:31], 1)),
		"the point at infinity":            ec(0x26, 1, zero, zero),
		"a point without y":                ec(0x26, 1, zero, nil),
		"a point of 64 bytes":              ec(0x26, 1, make([]byte, 64), make([]byte, 64)),
		"ES256 with the curve of ES384":    ec(0x26, 2, make([]byte, 48), make([]byte, 48)),
		"ES384, not offered":               passkeytest.ES384(),
		"an Ed25519 key of 31 bytes":       ed(6, zero[:31]),
		"an Ed25519 key of another curve":  ed(7, zero),
		"an unknown kind of key":           {0xa2, 0x01, 0x18, 0x63, 0x03, 0x26},
		"an RSA key with a negative modulus": join([]byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x3b}, zero[:8],
			[]byte{0x21, 0x43, 1, 0, 1}),
		"an RSA key with a negative exponent": join([]byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20}, sized(make([]byte, 256)), []byte{0x21, 0x3a, 0, 1, 0, 0}),
		"an RSA key without an exponent":      join([]byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20}, sized(make([]byte, 256)), []byte{0x21, 0x40}),
		"no map":                              {0x01},
		"an empty map":                        {0xa0},
		"half a map":                          {0xa5, 0x01, 0x02, 0x03},
	}
}

func join(all ...[]byte) (joined []byte) {
	for _, b := range all {
		joined = append(joined, b...)
	}
	return joined
}

// sized writes a text of bytes in CBOR.
func sized(b []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0x59}, uint16(len(b))), b...)
}

func raw64(t testing.TB, text string) []byte {
	t.Helper()
	b, ok := secret.Decode(text)
	if !ok {
		t.Fatal(text)
	}
	return b
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

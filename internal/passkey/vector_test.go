package passkey_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"slices"
	"testing"

	"portico/internal/clock"
	"portico/internal/passkey"
	"portico/internal/secret"
)

// vector is a test vector of WebAuthn Level 3 (section 16), in hexadecimal.
type vector struct {
	Section  string
	Creation struct {
		Credential  string
		ClientData  string `json:"client_data"`
		Attestation string
	}
	Use struct {
		ClientData string `json:"client_data"`
		AuthData   string `json:"authenticator_data"`
		Signature  string
		PublicKey  string `json:"public_key"`
	}
}

// The vectors of the W3C, 16.2 to 16.16. A creation or use without user verification, in
// a frame of another site, or with a signature that is not offered is valid there and
// refused here.
func TestVectorsOfW3C(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/w3c.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	public, _ := url.Parse("https://example.org")
	k, err := passkey.NewKeeper(passkey.Config{Key: secret.NewKey(), Clock: clock.System{}, Public: public, Site: "W3C"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(vectors); n != 15 {
		t.Errorf("%d vectors, want 15", n)
	}
	created, used := 0, 0
	for _, v := range vectors {
		if v.creates(t, k) {
			created++
		}
		if v.uses(t, k) {
			used++
		}
	}
	t.Logf("%d vectors: %d creations and %d uses are accepted", len(vectors), created, used)
	if created < 3 || used < 3 {
		t.Error("too few vectors are accepted to say anything")
	}
}

// Flags in authenticator data.
const (
	verified = 1 << 2
	attests  = 32 // offset of the flags
)

var (
	unoffered = []string{"16.8", "16.9"}   // signatures: ES384 and ES512
	unknown   = []string{"16.12"}          // the signature Ed448, which go-webauthn does not know
	untrusted = []string{"16.13", "16.14"} // attestation by a TPM of no maker, and by an Android key for another use
	framed    = []string{"16.4", "16.5"}
)

func (v vector) creates(t *testing.T, k *passkey.Keeper) bool {
	t.Helper()
	object := raw(t, v.Creation.Attestation)
	_, data, _ := bytes.Cut(object, []byte("authData"))
	data = data[2:] // the length
	if object[bytes.Index(object, []byte("authData"))+8] == 0x59 {
		data = data[1:]
	}
	want := data[attests]&verified != 0 && !slices.Contains(slices.Concat(unoffered, unknown, untrusted, framed), v.Section)
	c, err := passkey.ParseCreation(passkey.Answer{
		Credential: encoded(t, v.Creation.Credential), ClientData: encoded(t, v.Creation.ClientData), Attestation: encoded(t, v.Creation.Attestation),
	})
	if err == nil {
		_, err = k.Accept(c, passkey.Add, owner, k.Handle(owner, nil))
	}
	return v.judged(t, "creation", want, err)
}

func (v vector) uses(t *testing.T, k *passkey.Keeper) bool {
	t.Helper()
	data := raw(t, v.Use.AuthData)
	want := data[attests]&verified != 0 && !slices.Contains(slices.Concat(unknown, framed), v.Section)
	u, err := passkey.ParseUse(passkey.Answer{
		Credential: encoded(t, v.Creation.Credential), ClientData: encoded(t, v.Use.ClientData), AuthData: encoded(t, v.Use.AuthData),
		Signature: encoded(t, v.Use.Signature), Handle: secret.Encode(k.Handle(owner, nil)),
	})
	if err == nil {
		_, _, err = k.Check(u, passkey.Passkey{
			AccountID: owner, Handle: k.Handle(owner, nil), Host: "example.org", Credential: raw(t, v.Creation.Credential), PublicKey: raw(t, v.Use.PublicKey), Copies: data[attests]&(1<<3) != 0,
		})
	}
	return v.judged(t, "use", want, err)
}

func (v vector) judged(t *testing.T, what string, want bool, err error) bool {
	t.Helper()
	if accepted := err == nil; accepted != want {
		t.Errorf("%s, %s: accepted %v, want %v (%v)", v.Section, what, accepted, want, errors.Unwrap(err))
	}
	return err == nil
}

func raw(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func encoded(t *testing.T, text string) string { return secret.Encode(raw(t, text)) }

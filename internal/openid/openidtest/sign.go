package openidtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/ids"
	"portico/internal/secret"
)

// NewKey makes a key that signs with the algorithm.
func NewKey(t testing.TB, algorithm jose.SignatureAlgorithm) crypto.Signer {
	t.Helper()
	var key crypto.Signer
	var err error
	switch algorithm {
	case jose.ES256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case jose.ES384:
		key, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case jose.EdDSA:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Sign returns a JWT. The key is a private key, or a jose.JSONWebKey that has an
// id. The payload is the text of the claims, or what becomes it as JSON. The
// header gets the members of the given one whose value is not nil. Handlers may
// call it: a failure does not end the test.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key, payload any, header map[string]any) string {
	t.Helper()
	token, err := sign(algorithm, key, payload, header)
	if err != nil {
		t.Error(err)
	}
	return token
}

func sign(algorithm jose.SignatureAlgorithm, key, payload any, header map[string]any) (string, error) {
	text, err := textOf(payload)
	if err != nil {
		return "", err
	}
	options := &jose.SignerOptions{}
	for name, value := range header {
		if value != nil {
			options.WithHeader(jose.HeaderKey(name), value)
		}
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(text)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

func textOf(payload any) ([]byte, error) {
	switch p := payload.(type) {
	case []byte:
		return p, nil
	case string:
		return []byte(p), nil
	}
	return json.Marshal(payload)
}

// With returns claims with changes: nil removes one.
func With(claims, changes map[string]any) map[string]any {
	changed := maps.Clone(claims)
	for name, value := range changes {
		if changed[name] = value; value == nil {
			delete(changed, name)
		}
	}
	return changed
}

// Assertion returns the claims by which a client says at a server who it is.
func Assertion(now time.Time, client, server string, changes map[string]any) map[string]any {
	return With(map[string]any{"iss": client, "sub": client, "aud": server, "jti": ids.New(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}, changes)
}

// Proof returns the claims of a key proof for a request. The access token can be empty.
func Proof(now time.Time, method, url, access string, changes map[string]any) map[string]any {
	claims := map[string]any{"jti": ids.New(), "htm": method, "htu": url, "iat": now.Unix()}
	if access != "" {
		claims["ath"] = secret.Encode(secret.Hash(access))
	}
	return With(claims, changes)
}

// SignProof returns a key proof. The header can have changes: nil removes a member.
func SignProof(t testing.TB, algorithm jose.SignatureAlgorithm, key crypto.Signer, claims any, header map[string]any) string {
	t.Helper()
	return Sign(t, algorithm, key, claims, With(map[string]any{"typ": "dpop+jwt", "jwk": jose.JSONWebKey{Key: key.Public()}}, header))
}

// Thumbprint returns the name that tokens give the key of a proof.
func Thumbprint(t testing.TB, key crypto.Signer) string {
	t.Helper()
	sum, err := (&jose.JSONWebKey{Key: key.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return secret.Encode(sum)
}

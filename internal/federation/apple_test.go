package federation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

func pkcs8(t *testing.T, curve elliptic.Curve) (*ecdsa.PrivateKey, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestApple(t *testing.T) {
	t.Parallel()
	key, text := pkcs8(t, elliptic.P256())
	b := setupPreset(t, "apple", func(pc *ProviderConfig) {
		pc.ClientSecret, pc.TeamID, pc.KeyID, pc.PrivateKey = "", "TEAM", "KEY", text
	})
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
	b.op.expect["response_mode"] = "form_post"
	b.op.isClient = func(r *http.Request) bool {
		token, err := jwt.ParseSigned(r.PostForm.Get("client_secret"), []jose.SignatureAlgorithm{jose.ES256})
		if err != nil || token.Headers[0].KeyID != "KEY" {
			return false
		}
		var c jwt.Claims
		return token.Claims(key.Public(), &c) == nil && c.Issuer == "TEAM" && c.Subject == testClient &&
			c.ValidateWithLeeway(jwt.Expected{AnyAudience: jwt.Audience{b.op.srv.URL}, Time: b.clock.Now()}, 0) == nil &&
			c.Expiry.Time().Equal(b.clock.Now().Add(appleSecretLife))
	}
	b.op.claims["name"], b.op.claims["email_verified"] = "", `"true"`

	begun := b.begin()
	callback := b.op.authorize(begun.URL)
	callback.Set("user", `{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"eve@evil.test"}`)
	got, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback)
	want := Identity{Provider: "acme", Issuer: b.op.srv.URL, Subject: "subject-1", Email: "ada@x.test", EmailVerified: true, Name: "Ada Lovelace"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}

	b.clock.Advance(appleSecretLife + time.Minute) // the next exchange makes a fresh secret
	if _, err := b.signIn(); err != nil {
		t.Error(err)
	}
	if postedName("{") != "" || postedName(`{"name":7}`) != "" {
		t.Error("a name out of garbage")
	}
}

func TestAppleSecretReadyMade(t *testing.T) {
	t.Parallel()
	b := setupPreset(t, "apple")
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
	if _, err := b.signIn(); err != nil {
		t.Error(err)
	}
}

func TestAppleKeys(t *testing.T) {
	t.Parallel()
	_, p384 := pkcs8(t, elliptic.P384())
	for name, text := range map[string]string{
		"not PEM": "AuthKey_ABC.p8", "not PKCS #8": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "another curve": p384,
	} {
		if _, err := appleSecret(ProviderConfig{PrivateKey: text}, ""); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

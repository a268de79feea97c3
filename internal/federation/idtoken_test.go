package federation

import (
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// unix returns a time seconds after now as JSON.
func (b *bench) unix(seconds int64) string { return fmt.Sprint(b.clock.Now().Unix() + seconds) }

// Other audiences count when the operator names them, and azp names us.
func TestIDTokenClaims_Audiences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ aud, azp, cause string }{
		{`["` + testClient + `","project"]`, quote(testClient), ""},
		{`["project","` + testClient + `"]`, quote(testClient), ""},
		{`["` + testClient + `"]`, "", ""},
		{quote(testClient), "", ""},
		{`["` + testClient + `","project"]`, "", "issued to"},
		{`["` + testClient + `","project"]`, quote("project"), "issued to"},
		{`["project"]`, quote(testClient), "audience"},
		{quote("project"), quote(testClient), "audience"},
		{`["` + testClient + `","project","other"]`, quote(testClient), "audience"},
		{`["` + testClient + `","project",7]`, quote(testClient), "audience"},
	} {
		t.Run(c.aud+c.azp, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(pc *ProviderConfig) { pc.Audiences = []string{"project"} })
			b.op.claims["aud"], b.op.claims["azp"] = c.aud, c.azp
			_, err := b.signIn()
			if c.cause == "" && err != nil {
				t.Errorf("got %v, want no error", err)
			}
			if c.cause != "" {
				want(t, err, CodeRejected, c.cause)
			}
		})
	}
}

func TestIDTokenClaims(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		edit  func(b *bench, c map[string]string)
		cause string // "": accepted
	}{
		{"as it should be", func(*bench, map[string]string) {}, ""},
		{"issuer of another", func(_ *bench, c map[string]string) { c["iss"] = `"https://evil.test"` }, "names another issuer"},
		{"issuer with a slash", func(b *bench, c map[string]string) { c["iss"] = quote(b.op.srv.URL + "/") }, "names another issuer"},
		{"issuer in upper case", func(b *bench, c map[string]string) { c["iss"] = quote(strings.ToUpper(b.op.srv.URL)) }, "names another issuer"},
		{"issuer missing", func(_ *bench, c map[string]string) { c["iss"] = "" }, "names another issuer"},
		{"issuer under another name", func(_ *bench, c map[string]string) { c["ISS"], c["iss"] = c["iss"], "" }, "names another issuer"},
		{"audience as a list", func(_ *bench, c map[string]string) { c["aud"] = `["` + testClient + `"]` }, ""},
		{"audience missing", func(_ *bench, c map[string]string) { c["aud"] = "" }, "audience"},
		{"audience null", func(_ *bench, c map[string]string) { c["aud"] = "null" }, "audience"},
		{"audience empty", func(_ *bench, c map[string]string) { c["aud"] = "[]" }, "audience"},
		{"audience of another", func(_ *bench, c map[string]string) { c["aud"] = `"other"` }, "audience"},
		{"audience with an extra", func(_ *bench, c map[string]string) { c["aud"] = `["` + testClient + `","other"]` }, "audience"},
		{"azp of us", func(_ *bench, c map[string]string) { c["azp"] = quote(testClient) }, ""},
		{"azp of another", func(_ *bench, c map[string]string) { c["azp"] = `"other"` }, "issued to"},
		{"azp null", func(_ *bench, c map[string]string) { c["azp"] = "null" }, "issued to"},
		{"ended a minute ago", func(b *bench, c map[string]string) { c["exp"] = b.unix(-60) }, ""},
		{"ended longer ago", func(b *bench, c map[string]string) { c["exp"] = b.unix(-61) }, "expired"},
		{"no end", func(_ *bench, c map[string]string) { c["exp"] = "" }, "expired"},
		{"end as text", func(b *bench, c map[string]string) { c["exp"] = quote(b.unix(300)) }, "expired"},
		{"end with a fraction", func(b *bench, c map[string]string) { c["exp"] = b.unix(300) + ".5" }, ""},
		{"end out of range", func(_ *bench, c map[string]string) { c["exp"] = "1e300" }, "expired"},
		{"issued in a minute", func(b *bench, c map[string]string) { c["iat"] = b.unix(60) }, ""},
		{"issued later", func(b *bench, c map[string]string) { c["iat"] = b.unix(61) }, "future"},
		{"issued at no time", func(_ *bench, c map[string]string) { c["iat"] = "" }, "future"},
		{"valid in a minute", func(b *bench, c map[string]string) { c["nbf"] = b.unix(60) }, ""},
		{"valid later", func(b *bench, c map[string]string) { c["nbf"] = b.unix(61) }, "not valid before"},
		{"valid from null", func(_ *bench, c map[string]string) { c["nbf"] = "null" }, "not valid before"},
		{"nonce missing", func(_ *bench, c map[string]string) { c["nonce"] = "" }, "nonce"},
		{"nonce of another attempt", func(_ *bench, c map[string]string) { c["nonce"] = `"Zm9v"` }, "nonce"},
		{"nonce null", func(_ *bench, c map[string]string) { c["nonce"] = "null" }, "nonce"},
		{"subject missing", func(_ *bench, c map[string]string) { c["sub"] = "" }, "subject"},
		{"subject empty", func(_ *bench, c map[string]string) { c["sub"] = `""` }, "subject"},
		{"subject a number", func(_ *bench, c map[string]string) { c["sub"] = "42" }, "subject"},
		{"subject of 255", func(_ *bench, c map[string]string) { c["sub"] = quote(strings.Repeat("x", 255)) }, ""},
		{"subject of 256", func(_ *bench, c map[string]string) { c["sub"] = quote(strings.Repeat("x", 256)) }, "subject"},
		{"subject not ASCII", func(_ *bench, c map[string]string) { c["sub"] = `"\u00fc"` }, "subject"},
		{"subject with a NUL", func(_ *bench, c map[string]string) { c["sub"] = `"a\u0000b"` }, "subject"},
		{"subject twice", func(b *bench, _ map[string]string) { b.op.tail = `,"sub":"admin"` }, "twice"},
		{"not an object", func(b *bench, _ map[string]string) { b.op.tail = `}{` }, "after the end"},
		{"not UTF-8", func(b *bench, _ map[string]string) { b.op.tail = ",\"x\":\"\xff\"" }, "UTF-8"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c.edit(b, b.op.claims)
			_, err := b.signIn()
			if c.cause == "" && err != nil {
				t.Errorf("got %v, want no error", err)
			}
			if c.cause != "" {
				want(t, err, CodeRejected, c.cause)
			}
		})
	}
}

func TestIDTokenSignatures(t *testing.T) {
	t.Parallel()
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	unsigned := func(alg string) func(*testing.T, *op) {
		return func(_ *testing.T, o *op) {
			o.sign = func(payload string) string { return part(`{"alg":"`+alg+`","typ":"JWT"}`) + "." + part(payload) + "." }
		}
	}
	resign := func(change func(r, s *big.Int) []byte) func(*testing.T, *op) { // another signature of the right key
		return func(t *testing.T, o *op) {
			inner := o.sign
			o.sign = func(payload string) string {
				token := inner(payload)
				dot := strings.LastIndex(token, ".")
				sig, err := base64.RawURLEncoding.DecodeString(token[dot+1:])
				if err != nil {
					t.Error(err)
				}
				r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
				return token[:dot+1] + base64.RawURLEncoding.EncodeToString(change(r, s))
			}
		}
	}
	header := func(name string, value any) func(*testing.T, *op) { // signed by a stranger, who says where to find his key
		return func(t *testing.T, o *op) {
			stranger := newKey(t, "k1")
			if name == "jwk" {
				value = stranger.Public()
			}
			o.sign = signWith(t, jose.ES256, stranger, map[string]any{name: value})
		}
	}
	cases := []struct {
		name  string
		edit  func(*testing.T, *op)
		cause string
	}{
		{"none", unsigned("none"), "algorithm"},
		{"None", unsigned("None"), "algorithm"},
		{"no algorithm", unsigned(""), "algorithm"},
		{"ES256 without a signature", unsigned("ES256"), "no published key"},
		{"HS256 with the public key", hmacWithPublicKey, "algorithm"},
		{"key of a stranger", func(t *testing.T, o *op) { o.sign = signES256(t, newKey(t, "k1")) }, "no published key"},
		{"unknown key", func(t *testing.T, o *op) { o.sign = signES256(t, newKey(t, "k9")) }, "no published key"},
		{"right key, another's id", func(t *testing.T, o *op) {
			private := newKey(t, "k1")
			o.keys[0] = private.Public()
			o.sign = signES256(t, &jose.JSONWebKey{Key: private.Key, KeyID: "k9"})
		}, "no published key"},
		{"jwk in the header", header("jwk", nil), "no published key"},
		{"jku in the header", header("jku", "https://evil.test/keys"), "no published key"},
		{"x5u in the header", header("x5u", "https://evil.test/cert"), "no published key"},
		{"x5c in the header", header("x5c", []string{"AAAA"}), ""},
		{"crit in the header", critical, "no published key"},
		{"type of an access token", func(t *testing.T, o *op) { o.retype(t, "at+jwt") }, "type"},
		{"type of a logout token", func(t *testing.T, o *op) { o.retype(t, "logout+jwt") }, "type"},
		{"zero signature", resign(func(_, _ *big.Int) []byte { return make([]byte, 64) }), "no published key"},
		{"cut signature", resign(func(r, _ *big.Int) []byte { return r.Bytes() }), "no published key"},
		{"DER signature", resign(func(r, s *big.Int) []byte {
			der, _ := asn1.Marshal(struct{ R, S *big.Int }{r, s})
			return der
		}), "no published key"},
		{"two signatures", twice, "ID token"},
		{"not a token", func(_ *testing.T, o *op) { o.sign = func(string) string { return "a.b.c" } }, "ID token"},
		{"missing", func(_ *testing.T, o *op) { o.sign = func(string) string { return "" } }, "ID token"},
		{"four parts", func(_ *testing.T, o *op) {
			inner := o.sign
			o.sign = func(p string) string { return inner(p) + "." }
		}, "ID token"},
		{"RSA of 1024 bits", rsaKey(1024), "no usable key"},
		{"algorithm that the provider does not name", func(t *testing.T, o *op) {
			o.members["id_token_signing_alg_values_supported"] = `["RS256"]`
		}, "algorithm"},
		{"key for encryption", func(_ *testing.T, o *op) { o.keys[0].Use = "enc" }, "no usable key"},
		{"key for another algorithm", func(_ *testing.T, o *op) { o.keys[0].Algorithm = "ES384" }, "no published key"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c.edit(t, b.op)
			_, err := b.signIn()
			want(t, err, CodeRejected, c.cause)
		})
	}
}

func TestIDTokenAlgorithms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rsaKey(2048)(t, b.op)
	if _, err := b.signIn(); err != nil {
		t.Errorf("RS256: %v", err)
	}
	b = setup(t)
	b.op.keys[0].KeyID, b.op.keys[0].Algorithm, b.op.keys[0].Use = "", "", ""
	b.op.keys = append(b.op.keys, newKey(t, "other").Public())
	private := newKey(t, "")
	b.op.keys[0].Key = private.Public().Key
	b.op.sign = signWith(t, jose.ES256, private.Key, nil)
	if _, err := b.signIn(); err != nil {
		t.Errorf("neither key ids nor a type: %v", err)
	}
}

// An odd key next to the right one does not break a sign-in. A shared key is never used.
func TestOddKeysAreLeftOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	good, _ := b.op.keys[0].MarshalJSON()
	b.op.handlers["/keys"] = func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, `{"keys":[{"kty":"OKP","crv":"Ed448","x":"AA"},{"kty":"oct","k":"AAAA"},{"kty":"RSA"},7,`+string(good)+`]}`)
	}
	if _, err := b.signIn(); err != nil {
		t.Errorf("got %v", err)
	}
	b = setup(t)
	b.op.handlers["/keys"] = func(w http.ResponseWriter, _ *http.Request) {
		answerJSON(w, http.StatusOK, `{"keys":[`+strings.Repeat(string(good)+",", maxKeys)+string(good)+`]}`)
	}
	_, err := b.signIn()
	want(t, err, CodeRejected, "101 keys")
}

func TestUsableKeys(t *testing.T) {
	t.Parallel()
	private := newKey(t, "k1")
	for name, c := range map[string]struct {
		key jose.JSONWebKey
		ok  bool
	}{
		"public":     {private.Public(), true},
		"private":    {*private, false}, // published by mistake: anybody can sign with it
		"shared":     {jose.JSONWebKey{Key: []byte("secret"), Use: "sig"}, false},
		"encryption": {jose.JSONWebKey{Key: private.Public().Key, Use: "enc"}, false},
	} {
		if got := usable(c.key); got != c.ok {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func (o *op) retype(t *testing.T, typ jose.ContentType) {
	private := newKey(t, "k1")
	o.keys[0] = private.Public()
	o.sign = signWith(t, jose.ES256, private, map[string]any{"typ": typ})
}

func critical(t *testing.T, o *op) {
	private := newKey(t, "k1")
	o.keys[0] = private.Public()
	o.sign = signWith(t, jose.ES256, private, map[string]any{"crit": []string{"exp"}, "exp": 1})
}

// hmacWithPublicKey signs with what everybody knows as if it were a secret.
func hmacWithPublicKey(t *testing.T, o *op) {
	der, err := x509.MarshalPKIXPublicKey(o.keys[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	o.sign = func(payload string) string {
		e := base64.RawURLEncoding.EncodeToString
		text := e([]byte(`{"alg":"HS256","kid":"k1"}`)) + "." + e([]byte(payload))
		mac := hmac.New(sha256.New, der)
		mac.Write([]byte(text))
		return text + "." + e(mac.Sum(nil))
	}
}

// twice makes a JWS in the JSON form: the right signature and a stranger's.
func twice(t *testing.T, o *op) {
	private := newKey(t, "k1")
	o.keys[0] = private.Public()
	signer, err := jose.NewMultiSigner([]jose.SigningKey{
		{Algorithm: jose.ES256, Key: private}, {Algorithm: jose.ES256, Key: newKey(t, "k2")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.sign = func(payload string) string {
		jws, err := signer.Sign([]byte(payload))
		if err != nil {
			t.Error(err)
			return ""
		}
		return jws.FullSerialize()
	}
}

func rsaKey(bits int) func(*testing.T, *op) {
	return func(t *testing.T, o *op) {
		k, err := rsa.GenerateKey(rand.Reader, bits)
		if err != nil {
			t.Fatal(err)
		}
		private := &jose.JSONWebKey{Key: k, KeyID: "r1", Use: "sig"}
		o.keys = []jose.JSONWebKey{private.Public()}
		o.sign = signWith(t, jose.RS256, private, nil)
	}
}

// A signature (r, n-s) is as valid as (r, s), so nothing here may rely on a token
// having only one spelling. The nonce makes an attempt single use.
func TestMalleatedSignatureIsStillBoundToTheAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inner := b.op.sign
	b.op.sign = func(payload string) string {
		token := inner(payload)
		dot := strings.LastIndex(token, ".")
		sig, _ := base64.RawURLEncoding.DecodeString(token[dot+1:])
		n := b.op.keys[0].Key.(*ecdsa.PublicKey).Params().N
		s := new(big.Int).Sub(n, new(big.Int).SetBytes(sig[32:]))
		return token[:dot+1] + base64.RawURLEncoding.EncodeToString(append(sig[:32], s.FillBytes(make([]byte, 32))...))
	}
	first := b.begin()
	callback := b.op.authorize(first.URL)
	second := b.begin()
	_, err := b.s.Finish(t.Context(), "acme", second.Pending, callback)
	want(t, err, CodeRejected, "invalid_grant") // PKCE of the first attempt
	b.op.claims["nonce"] = `"of the first attempt"`
	_, err = b.signIn()
	want(t, err, CodeRejected, "nonce")
}

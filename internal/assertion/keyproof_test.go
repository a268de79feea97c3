package assertion_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/assertion"
	"portico/internal/clock"
	"portico/internal/openid/openidtest"
	"portico/internal/secret"
)

// here is the request of the tests.
func here() assertion.Use { return assertion.Use{Method: "POST", URL: issuer + "/token"} }

// shown are the claims of a proof for here, with changes: nil removes one.
func shown(now time.Time, changes map[string]any) map[string]any {
	return openidtest.With(openidtest.Proof(now, "POST", issuer+"/token", "", map[string]any{"jti": "one"}), changes)
}

// prove returns a proof with changed members of its header.
func (s signer) prove(t testing.TB, claims, header map[string]any) string {
	t.Helper()
	return openidtest.SignProof(t, s.algorithm, s.key, claims, header)
}

func TestCheckProof_Algorithms(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	k := keeper(t, c)
	for algorithm, right := range map[jose.SignatureAlgorithm]bool{jose.ES256: true, jose.PS256: true, jose.EdDSA: true, jose.RS256: false, jose.ES384: false, jose.PS512: false} {
		s := newSigner(t, algorithm, "k")
		p, err := k.CheckProof(s.prove(t, shown(c.Now(), nil), nil), here())
		if right != (err == nil) {
			t.Errorf("%s: %v", algorithm, err)
			continue
		}
		if right && p.Key != openidtest.Thumbprint(t, s.key) {
			t.Errorf("%s: the key is %q", algorithm, p.Key)
		}
	}
}

func TestCheckProof_Claims(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	k, s := keeper(t, c), newSigner(t, jose.ES256, "k")
	at := func(d time.Duration) int64 { return c.Now().Add(d).Unix() }
	for name, tt := range map[string]struct {
		changes map[string]any
		right   bool
	}{
		"as it should be":             {nil, true},
		"with an end and a beginning": {map[string]any{"nbf": at(0), "exp": at(5 * time.Minute)}, true},
		"with a nonce":                {map[string]any{"nonce": "n"}, true},
		"ten seconds ahead":           {map[string]any{"iat": at(10 * time.Second)}, true},
		"a minute ahead":              {map[string]any{"iat": at(time.Minute)}, true},
		"more than a minute ahead":    {map[string]any{"iat": at(61 * time.Second)}, false},
		"ten seconds behind":          {map[string]any{"iat": at(-10 * time.Second)}, true},
		"within life and skew":        {map[string]any{"iat": at(-119 * time.Second)}, true},
		"two minutes behind":          {map[string]any{"iat": at(-2 * time.Minute)}, false},
		"no time":                     {map[string]any{"iat": nil}, false},
		"a time in text":              {map[string]any{"iat": "1"}, false},
		"another method":              {map[string]any{"htm": "GET"}, false},
		"small letters":               {map[string]any{"htm": "post"}, false},
		"no method":                   {map[string]any{"htm": nil}, false},
		"another path":                {map[string]any{"htu": issuer + "/token/"}, false},
		"the server alone":            {map[string]any{"htu": issuer}, false},
		"another server":              {map[string]any{"htu": "https://other.test/token"}, false},
		"a server that begins alike":  {map[string]any{"htu": issuer + ".evil.test/token"}, false},
		"a user in the address":       {map[string]any{"htu": "https://x@login.test/token"}, false},
		"http":                        {map[string]any{"htu": "http://login.test/token"}, false},
		"a query":                     {map[string]any{"htu": issuer + "/token?a=b#c"}, true},
		"the default port":            {map[string]any{"htu": "https://login.test:443/token"}, true},
		"another port":                {map[string]any{"htu": "https://login.test:8443/token"}, false},
		"capital letters in the host": {map[string]any{"htu": "HTTPS://LOGIN.test/token"}, true},
		"capital letters in the path": {map[string]any{"htu": issuer + "/Token"}, false},
		"an encoded path":             {map[string]any{"htu": issuer + "/%74oken"}, false},
		"no address":                  {map[string]any{"htu": nil}, false},
		"an address in a list":        {map[string]any{"htu": []string{issuer + "/token"}}, false},
		"no id":                       {map[string]any{"jti": nil}, false},
		"an empty id":                 {map[string]any{"jti": ""}, false},
		"a long id":                   {map[string]any{"jti": strings.Repeat("j", 513)}, false},
	} {
		_, err := k.CheckProof(s.prove(t, shown(c.Now(), tt.changes), nil), here())
		var wrong assertion.Wrong
		if tt.right != (err == nil) || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	withToken := here()
	withToken.Token = "token"
	for hash, right := range map[string]bool{secret.Encode(secret.Hash("token")): true, secret.Encode(secret.Hash("other")): false, "token": false, "": false} {
		if _, err := k.CheckProof(s.prove(t, shown(c.Now(), map[string]any{"ath": hash}), nil), withToken); right != (err == nil) {
			t.Errorf("the hash %q of the token: %v", hash, err)
		}
	}
}

// The key is the public half of what has signed, whatever else the header says.
func TestCheckProof_Header(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	k, mine, other := keeper(t, c), newSigner(t, jose.ES256, "k"), newSigner(t, jose.ES256, "k")
	claims := shown(c.Now(), nil)
	right := mine.prove(t, claims, nil)
	if _, err := k.CheckProof(right, here()); err != nil {
		t.Fatal(err)
	}
	public, _ := json.Marshal(jose.JSONWebKey{Key: mine.key.Public()})
	forge := func(header string) string { // with the signature of right
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + right[strings.Index(right, "."):]
	}
	private, _ := json.Marshal(jose.JSONWebKey{Key: mine.key})
	for name, text := range map[string]string{
		"no type":                mine.prove(t, claims, map[string]any{"typ": ""}),
		"the type of assertions": mine.prove(t, claims, map[string]any{"typ": "JWT"}),
		"another letter case":    mine.prove(t, claims, map[string]any{"typ": "DPoP+JWT"}),
		"another key":            other.prove(t, claims, map[string]any{"jwk": jose.JSONWebKey{Key: mine.key.Public()}}),
		"the private key":        mine.prove(t, claims, map[string]any{"jwk": json.RawMessage(private)}),
		"a key that is null":     mine.prove(t, claims, map[string]any{"jwk": json.RawMessage("null")}),
		"no key":                 mine.prove(t, claims, map[string]any{"jwk": nil}),
		"another kind of key":    mine.prove(t, claims, map[string]any{"jwk": jose.JSONWebKey{Key: newSigner(t, jose.EdDSA, "k").key.Public()}}),
		"a symmetric key":        forge(`{"alg":"HS256","typ":"dpop+jwt","jwk":{"kty":"oct","k":"AAAA"}}`),
		"no algorithm":           forge(`{"alg":"none","typ":"dpop+jwt","jwk":` + string(public) + `}`),
		"no signature":           right[:strings.LastIndex(right, ".")+1],
		"a changed signature":    right[:len(right)-8] + "AAAAAAAA",
		"a critical extension":   mine.prove(t, claims, map[string]any{"crit": []string{"x"}, "x": 1}),
		"nothing":                "",
		"a long text":            strings.Repeat("a", 5<<10),
	} {
		if p, err := k.CheckProof(text, here()); err == nil {
			t.Errorf("%s: it is accepted, for the key %q", name, p.Key)
		}
	}
}

// No text passes that its key has not signed for this request.
func FuzzCheckProof(f *testing.F) {
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	// The key is the same in all processes of a fuzz run.
	k, s := keeper(f, c), signer{ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), jose.EdDSA, "k"}
	right := s.prove(f, shown(c.Now(), nil), nil)
	parts := strings.Split(right, ".")
	for _, seed := range []string{
		right, s.prove(f, shown(c.Now(), map[string]any{"iat": 1e300}), nil), s.prove(f, shown(c.Now(), map[string]any{"htu": "://"}), nil), "", "..", "a.b.c",
		`eyJhbGciOiJub25lIn0.` + parts[1] + ".", parts[0] + "." + parts[1] + "." + parts[0], parts[0] + ".e30." + parts[2], strings.Repeat("a.", 3000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := k.CheckProof(text, here())
		var wrong assertion.Wrong
		if err != nil && (!errors.As(err, &wrong) || p.Key != "") {
			t.Fatalf("%q: %+v, %v", text, p, err)
		}
		if at := strings.LastIndexByte(text, '.'); err == nil && text[:at] != parts[0]+"."+parts[1] {
			t.Fatalf("%q is accepted", text)
		}
	})
}

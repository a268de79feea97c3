package assertion_test

import (
	"context"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/assertion"
	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/openid/openidtest"
)

const issuer = "https://login.test"

func names() []string { return []string{issuer, issuer + "/token"} }

// signer is a key with the algorithm that it signs with.
type signer struct {
	key       crypto.Signer
	algorithm jose.SignatureAlgorithm
	id        string
}

func newSigner(t testing.TB, algorithm jose.SignatureAlgorithm, id string) signer {
	t.Helper()
	return signer{openidtest.NewKey(t, algorithm), algorithm, id}
}

// sign returns claims as an assertion. An empty type is left out.
func (s signer) sign(t testing.TB, claims any, typ string) string {
	t.Helper()
	header := map[string]any{}
	if typ != "" {
		header["typ"] = typ
	}
	return openidtest.Sign(t, s.algorithm, jose.JSONWebKey{Key: s.key, KeyID: s.id}, claims, header)
}

func set(t testing.TB, signers ...signer) []byte {
	t.Helper()
	var keys jose.JSONWebKeySet
	for _, s := range signers {
		keys.Keys = append(keys.Keys, jose.JSONWebKey{Key: s.key.Public(), KeyID: s.id, Use: "sig"})
	}
	text, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func parsed(t testing.TB, signers ...signer) assertion.Keys {
	t.Helper()
	keys, err := assertion.ParseKeys(set(t, signers...))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func keeper(t testing.TB, c clock.Clock, sources ...assertion.Source) *assertion.Keeper {
	t.Helper()
	var allow []string
	for _, s := range sources {
		if s.URL != "" {
			allow = append(allow, strings.TrimSuffix(s.URL, "/jwks"))
		}
	}
	client, err := egress.New(egress.Config{Allow: allow})
	if err != nil {
		t.Fatal(err)
	}
	k := assertion.New(assertion.Config{Clock: c, Client: client, Sources: sources})
	t.Cleanup(k.Close)
	return k
}

// judged reads and checks an assertion.
func judged(ctx context.Context, k *assertion.Keeper, text string) (assertion.Claim, error) {
	a, err := assertion.Parse(text)
	if err != nil {
		return assertion.Claim{}, err
	}
	return k.Check(ctx, a, names())
}

// valid are the claims of an assertion of rp, with changes: nil removes one.
func valid(now time.Time, changes map[string]any) map[string]any {
	return openidtest.With(openidtest.Assertion(now, "rp", issuer, map[string]any{"jti": "one"}), changes)
}

func TestCheck_Algorithms(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	for _, algorithm := range []jose.SignatureAlgorithm{jose.ES256, jose.PS256, jose.RS256, jose.EdDSA} {
		s := newSigner(t, algorithm, "k1")
		k := keeper(t, c, assertion.Source{ClientID: "rp", Keys: parsed(t, newSigner(t, jose.ES256, "k0"), s)})
		if claim, err := judged(t.Context(), k, s.sign(t, valid(c.Now(), nil), "JWT")); err != nil || claim.ClientID != "rp" {
			t.Errorf("%s: %+v, %v", algorithm, claim, err)
		}
	}
	for _, algorithm := range []jose.SignatureAlgorithm{jose.RS384, jose.PS512} {
		s := newSigner(t, algorithm, "k1")
		k := keeper(t, c, assertion.Source{ClientID: "rp", Keys: parsed(t, s)})
		if _, err := judged(t.Context(), k, s.sign(t, valid(c.Now(), nil), "")); err == nil {
			t.Errorf("%s is accepted", algorithm)
		}
	}
}

func TestCheck_Claims(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	s := newSigner(t, jose.ES256, "k1")
	k := keeper(t, c, assertion.Source{ClientID: "rp", Keys: parsed(t, s)})
	at := func(d time.Duration) int64 { return c.Now().Add(d).Unix() }
	for name, tt := range map[string]struct {
		changes map[string]any
		right   bool
	}{
		"as it should be":                {nil, true},
		"the token endpoint":             {map[string]any{"aud": issuer + "/token"}, true},
		"the issuer in a list":           {map[string]any{"aud": []string{issuer}}, false},
		"a second audience":              {map[string]any{"aud": []string{issuer, "https://other.test"}}, false},
		"another audience":               {map[string]any{"aud": "https://other.test"}, false},
		"a slash after the issuer":       {map[string]any{"aud": issuer + "/"}, false},
		"another path":                   {map[string]any{"aud": issuer + "/token/"}, false},
		"no audience":                    {map[string]any{"aud": nil}, false},
		"no audience in a list":          {map[string]any{"aud": []string{}}, false},
		"another subject":                {map[string]any{"sub": "rp2"}, false},
		"no subject":                     {map[string]any{"sub": nil}, false},
		"another issuer":                 {map[string]any{"iss": "rp2"}, false},
		"names in other letters":         {map[string]any{"iss": nil, "ISS": "rp"}, false},
		"no end":                         {map[string]any{"exp": nil}, false},
		"an end in text":                 {map[string]any{"exp": "9999999999"}, false},
		"an end that no clock has":       {map[string]any{"exp": 1e300}, false},
		"ended within the skew":          {map[string]any{"exp": at(-59 * time.Second)}, true},
		"ended":                          {map[string]any{"exp": at(-time.Minute)}, false},
		"five minutes":                   {map[string]any{"exp": at(5 * time.Minute)}, true},
		"six minutes and a second":       {map[string]any{"exp": at(6*time.Minute + time.Second)}, false},
		"made within the skew":           {map[string]any{"iat": at(time.Minute)}, true},
		"made in the future":             {map[string]any{"iat": at(61 * time.Second)}, false},
		"begins in the future":           {map[string]any{"nbf": at(61 * time.Second)}, false},
		"without the time of its making": {map[string]any{"iat": nil}, true},
		"no id":                          {map[string]any{"jti": nil}, false},
		"a number as id":                 {map[string]any{"jti": 7}, false},
		"a long id":                      {map[string]any{"jti": strings.Repeat("j", 513)}, false},
	} {
		_, err := judged(t.Context(), k, s.sign(t, valid(c.Now(), tt.changes), ""))
		var wrong assertion.Wrong
		if tt.right != (err == nil) || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	payload, err := json.Marshal(valid(c.Now(), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{`"iss":"rp2"`, `"iss":"rp"`, `"\u0061ud":"https://other.test"`} {
		if _, err := judged(t.Context(), k, s.sign(t, []byte("{"+member+","+string(payload[1:])), "")); err == nil {
			t.Errorf("%s before the others: it is there twice, and accepted", member)
		}
	}
	for typ, right := range map[string]bool{"JWT": true, "client-authentication+jwt": true, "dpop+jwt": false, "at+jwt": false} {
		if _, err := judged(t.Context(), k, s.sign(t, valid(c.Now(), nil), typ)); right != (err == nil) {
			t.Errorf("the type %s: %v", typ, err)
		}
	}
}

// Each client is known by its own keys, whatever the header says.
func TestCheck_Keys(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	mine, other := newSigner(t, jose.ES256, "k1"), newSigner(t, jose.ES256, "k1")
	k := keeper(t, c, assertion.Source{ClientID: "rp", Keys: parsed(t, mine)}, assertion.Source{ClientID: "rp2", Keys: parsed(t, other)})
	if _, err := judged(t.Context(), k, other.sign(t, valid(c.Now(), nil), "")); err == nil {
		t.Error("the key of another client counts")
	}
	renamed := mine
	renamed.id = "k2"
	if _, err := judged(t.Context(), k, renamed.sign(t, valid(c.Now(), nil), "")); err == nil {
		t.Error("a key id that the client has not counts")
	}
	payload, _ := json.Marshal(valid(c.Now(), nil))
	embedded := openidtest.Sign(t, jose.ES256, other.key, payload, map[string]any{"jwk": jose.JSONWebKey{Key: other.key.Public()}})
	if _, err := judged(t.Context(), k, embedded); err == nil {
		t.Error("a key in the header counts")
	}
	public, _ := json.Marshal(jose.JSONWebKey{Key: mine.key.Public()})
	symmetric := openidtest.Sign(t, jose.HS256, append(public, make([]byte, 32)...), payload, nil)
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload) + "."
	for _, text := range []string{symmetric, none, "", "..", mine.sign(t, valid(c.Now(), nil), "") + "x", strings.Repeat("a", 9<<10)} {
		if _, err := judged(t.Context(), k, text); err == nil {
			t.Errorf("%.30q is accepted", text)
		}
	}
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	private, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: newSigner(t, jose.ES256, "k").key}}})
	if err != nil {
		t.Fatal(err)
	}
	many := `{"keys":[` + strings.TrimSuffix(strings.Repeat(`{},`, 21), ",") + `]}`
	for name, text := range map[string]string{
		"a private key": string(private), "a symmetric key": `{"keys":[{"kty":"oct","k":"AAAA"}]}`, "no set": `{}`, "no JSON": `x`, "no key": `{"keys":[]}`,
		"two lists":     `{"keys":[],` + strings.TrimPrefix(string(set(t, newSigner(t, jose.ES256, "k"))), "{"),
		"two types":     strings.Replace(string(set(t, newSigner(t, jose.ES256, "k"))), `"kty"`, `"kty":"RSA","kty"`, 1),
		"another curve": string(set(t, newSigner(t, jose.ES384, "k"))), "many keys": many,
	} {
		if _, err := assertion.ParseKeys([]byte(text)); err == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
	mixed := strings.Replace(string(set(t, newSigner(t, jose.ES256, "k"))), `[`, `[{"kty":"new","x":"y"},`, 1)
	if _, err := assertion.ParseKeys([]byte(mixed)); err != nil {
		t.Errorf("a set with a key of an unknown kind: %v", err)
	}
}

// A client that changes its published keys is known by the new ones at once. Bad
// assertions do not make Portico ask each time.
func TestCheck_PublishedKeys(t *testing.T) {
	t.Parallel()
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	first, second := newSigner(t, jose.ES256, "k1"), newSigner(t, jose.EdDSA, "k2")
	var published atomic.Pointer[[]byte]
	var loads atomic.Int32
	publish := func(text []byte) { published.Store(&text) }
	publish(set(t, first))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		loads.Add(1)
		_, _ = w.Write(*published.Load())
	}))
	t.Cleanup(server.Close)
	k := keeper(t, c, assertion.Source{ClientID: "rp", URL: server.URL + "/jwks"})
	check := func(s signer) error {
		_, err := judged(context.Background(), k, s.sign(t, valid(c.Now(), nil), ""))
		return err
	}
	if err := check(first); err != nil || loads.Load() != 1 {
		t.Fatalf("%v after %d loads", err, loads.Load())
	}
	publish(set(t, second))
	if err := check(second); err != nil || loads.Load() != 2 {
		t.Errorf("a new key: %v after %d loads", err, loads.Load())
	}
	if err := check(first); err == nil {
		t.Error("the old key counts")
	}
	for range 50 {
		_ = check(first)
	}
	if loads.Load() > 3 {
		t.Errorf("bad assertions made %d loads", loads.Load())
	}
	server.Close()
	c.Advance(11 * time.Minute)
	if err := check(second); err != nil {
		t.Errorf("while the client is down: %v", err)
	}
	gone := keeper(t, c, assertion.Source{ClientID: "rp", URL: server.URL + "/jwks"})
	var wrong assertion.Wrong
	if _, err := judged(t.Context(), gone, first.sign(t, valid(c.Now(), nil), "")); err == nil || errors.As(err, &wrong) {
		t.Errorf("keys that were never loaded: %v", err)
	}
}

// Whatever arrives, only what a key of rp has signed counts.
func FuzzCheck(f *testing.F) {
	c := clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	mine, other := newSigner(f, jose.ES256, "k1"), newSigner(f, jose.ES256, "k1")
	k := keeper(f, c, assertion.Source{ClientID: "rp", Keys: parsed(f, mine)})
	for _, s := range []string{other.sign(f, valid(c.Now(), nil), ""), "a.b.c", "..", `{"payload":"","signatures":[]}`, "eyJhbGciOiJub25lIn0.e30."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if claim, err := judged(t.Context(), k, text); err == nil || claim != (assertion.Claim{}) {
			t.Fatalf("%q is accepted: %+v", text, claim)
		}
	})
}

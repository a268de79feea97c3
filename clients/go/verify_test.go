package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	client "portico.internal/clients/go"
	"portico.internal/clients/go/clienttest"
)

var mara = client.Identity{
	ID: "01mara", Email: "mara@example.com", Name: "Mära Lind", Roles: []string{"admin", "editor"}, Methods: []string{"password"},
	SessionID: "s1", AuthenticatedAt: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC),
}

func TestVerify(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	c := portico.Client(client.Options{})
	who, err := c.Verify(t.Context(), portico.Token(mara, nil))
	if err != nil || !reflect.DeepEqual(who, mara) {
		t.Errorf("verified %+v (%v), want %+v", who, err, mara)
	}
	if !who.HasRole("admin") || who.HasRole("adm") {
		t.Error("the roles are not the person's")
	}
	shop := portico.Client(client.Options{Audience: "shop"})
	if _, err := shop.Verify(t.Context(), portico.Token(mara, map[string]any{"aud": "shop"})); err != nil {
		t.Errorf("a token for this app: %v", err)
	}
}

func TestVerify_Claims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testClaims)
}

func testClaims(t *testing.T) {
	portico := clienttest.New(t)
	c := portico.Client(client.Options{})
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	for name, test := range map[string]struct {
		claims map[string]any
		ok     bool
	}{
		"another issuer":              {map[string]any{"iss": "https://evil.test"}, false},
		"an issuer with a slash":      {map[string]any{"iss": clienttest.URL + "/"}, false},
		"no issuer":                   {map[string]any{"iss": nil}, false},
		"another app":                 {map[string]any{"aud": "shop"}, false},
		"two apps":                    {map[string]any{"aud": []string{"app", "shop"}}, false},
		"a list of this app":          {map[string]any{"aud": []string{"app"}}, true},
		"no audience":                 {map[string]any{"aud": nil}, false},
		"over":                        {map[string]any{"exp": in(-time.Minute)}, false},
		"over by less than clocks do": {map[string]any{"exp": in(-5 * time.Second)}, true},
		"no end":                      {map[string]any{"exp": nil}, false},
		"an end in words":             {map[string]any{"exp": "tomorrow"}, false},
		"an end that is not finite":   {map[string]any{"exp": json.RawMessage("1e400")}, false},
		"an end that no clock has":    {map[string]any{"exp": json.RawMessage("1e300")}, false},
		"a sign-in within a second":   {map[string]any{"auth_time": 1.5}, false},
		"not yet":                     {map[string]any{"nbf": in(time.Minute)}, false},
		"made in the future":          {map[string]any{"iat": in(time.Minute)}, false},
		"made just ahead":             {map[string]any{"iat": in(5 * time.Second), "nbf": in(5 * time.Second)}, true},
		"nobody":                      {map[string]any{"sub": nil}, false},
		"an empty subject":            {map[string]any{"sub": ""}, false},
		"roles that are no list":      {map[string]any{"roles": "admin"}, false},
	} {
		who, err := c.Verify(t.Context(), portico.Token(mara, test.claims))
		if test.ok && err != nil || !test.ok && (!errors.Is(err, client.ErrRefused) || who.ID != "") {
			t.Errorf("%s: %+v: %v", name, who, err)
		}
	}
}

// signed returns a token with any header, signed by any key.
func signed(t *testing.T, key jose.SigningKey, headers map[jose.HeaderKey]any) string {
	t.Helper()
	options := &jose.SignerOptions{}
	for name, value := range headers {
		options.WithHeader(name, value)
	}
	signer, err := jose.NewSigner(key, options)
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := json.Marshal(map[string]any{"iss": clienttest.URL, "aud": "app", "sub": "evil", "exp": time.Now().Add(time.Minute).Unix()})
	object, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := object.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// A token must not choose how it is verified (RFC 8725 2.1, 2.2, 2.8).
func TestVerify_Forged(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	c := portico.Client(client.Options{})
	good := portico.Token(mara, nil)
	part := strings.Split(good, ".")
	b64 := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	own, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	der, _ := x509.MarshalPKIXPublicKey(own.Public())
	ours := map[jose.HeaderKey]any{"kid": "key-1", "typ": "JWT"}

	for name, token := range map[string]string{
		"no text":               " ",
		"not three parts":       part[0] + "." + part[1],
		"four parts":            good + ".x",
		"no signature":          part[0] + "." + part[1] + ".",
		"another payload":       part[0] + "." + b64(`{"iss":"https://portico.test","aud":"app","sub":"evil","exp":9999999999}`) + "." + part[2],
		"alg none":              b64(`{"alg":"none","kid":"key-1","typ":"JWT"}`) + "." + part[1] + ".",
		"alg None":              b64(`{"alg":"None","kid":"key-1","typ":"JWT"}`) + "." + part[1] + ".",
		"a public key as HMAC":  signed(t, jose.SigningKey{Algorithm: jose.HS256, Key: der}, ours),
		"another algorithm":     signed(t, jose.SigningKey{Algorithm: jose.ES384, Key: p384}, ours),
		"another's key":         signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: own}, ours),
		"a key in the token":    signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: own}, map[jose.HeaderKey]any{"kid": "key-1", "typ": "JWT", "jwk": jose.JSONWebKey{Key: own.Public()}}),
		"a set of its own":      signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: own}, map[jose.HeaderKey]any{"kid": "x", "typ": "JWT", "jku": "https://evil.test/jwks.json"}),
		"an unknown key":        signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: own}, map[jose.HeaderKey]any{"kid": "../key-1", "typ": "JWT"}),
		"no key":                signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: own}, map[jose.HeaderKey]any{"typ": "JWT"}),
		"a critical header":     signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: own}, map[jose.HeaderKey]any{"kid": "key-1", "typ": "JWT", "crit": []string{"x"}, "x": 1}),
		"JSON":                  `{"protected":"` + part[0] + `","payload":"` + part[1] + `","signature":"` + part[2] + `"}`,
		"white space":           part[0] + ". " + part[1] + "." + part[2],
		"padded":                part[0] + "=." + part[1] + "." + part[2],
		"longer than is parsed": portico.Token(mara, map[string]any{"x": strings.Repeat("x", 8<<10)}),
	} {
		if who, err := c.Verify(t.Context(), token); !errors.Is(err, client.ErrRefused) || who.ID != "" {
			t.Errorf("%s: %+v (%v), want %v", name, who, err, client.ErrRefused)
		}
	}
}

// The last character of a part can have bits that no byte uses. A decoder that
// skips line ends accepts still more spellings. A list of revoked or used
// tokens would not recognize them.
func TestVerify_OneSpelling(t *testing.T) {
	t.Parallel()
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	portico := clienttest.New(t)
	c := portico.Client(client.Options{})
	good := portico.Token(mara, nil)
	if _, err := c.Verify(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	tokens := []string{good + "\n", good[:40] + "\r\n" + good[40:], strings.Join(parts, ".\n")}
	for n, part := range parts {
		for _, letter := range letters {
			other := append([]string(nil), parts...)
			other[n] = part[:len(part)-1] + string(letter)
			tokens = append(tokens, strings.Join(other, "."))
		}
	}
	for _, token := range tokens {
		if token == good {
			continue
		}
		if _, err := c.Verify(t.Context(), token); !errors.Is(err, client.ErrRefused) {
			t.Errorf("another spelling %q: %v, want %v", token, err, client.ErrRefused)
		}
	}
}

// signedText returns a token with a header and claims as they are written.
func signedText(t *testing.T, key *ecdsa.PrivateKey, header, claims string) string {
	t.Helper()
	b64 := base64.RawURLEncoding.EncodeToString
	text := b64([]byte(header)) + "." + b64([]byte(claims))
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + b64(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// Another program may take the other one of two members with one name (RFC 7519 4).
func TestVerify_DoubledMembers(t *testing.T) {
	t.Parallel()
	own, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	key := jose.JSONWebKey{Key: own.Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"}
	c, err := client.New(clienttest.URL, client.Options{Transport: answering(t, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}})})
	if err != nil {
		t.Fatal(err)
	}
	header := map[string]any{"alg": "ES256", "kid": "k", "typ": "JWT"}
	claims := map[string]any{
		"iss": clienttest.URL, "aud": "app", "sub": "mara", "exp": time.Now().Add(time.Minute).Unix(), "nbf": 1, "iat": 1, "jti": "j", "sid": "s1", "email": "a@x.test",
		"name": `quoted " \": {`, "roles": []string{"a"}, "amr": []string{"password"}, "auth_time": 1, "unknown": map[string]any{"a": []any{map[string]any{"a": 1, "b": map[string]any{"a": 1}}}},
	}
	write := func(v any) string { text, _ := json.Marshal(v); return string(text) }
	if _, err := c.Verify(t.Context(), signedText(t, own, write(header), write(claims))); err != nil {
		t.Fatalf("each member once: %v", err)
	}
	refused := func(name, header, claims string) {
		if who, err := c.Verify(t.Context(), signedText(t, own, header, claims)); !errors.Is(err, client.ErrRefused) || who.ID != "" {
			t.Errorf("%s: %+v (%v), want %v", name, who, err, client.ErrRefused)
		}
	}
	for member, value := range claims {
		refused(member+" twice", write(header), write(claims)[:len(write(claims))-1]+`,"`+member+`":`+write(value)+"}")
	}
	refused("sub with an escape", write(header), `{"\u0073ub":"evil",`+write(claims)[1:])
	for member, value := range header {
		refused(member+" of the header twice", `{"`+member+`":`+write(value)+","+write(header)[1:], write(claims))
	}
	for _, deep := range []string{`{"b":1,"b":2}`, `{"b":{"c":1,"c":1}}`, `[{"b":1,"b":1}]`, `[[],{"b":[{"c":1,"\u0063":1}]}]`} {
		refused("deep in a claim: "+deep, write(header), `{"deep":`+deep+","+write(claims)[1:])
		refused("deep in the header: "+deep, `{"deep":`+deep+","+write(header)[1:], write(claims))
	}
}

// A token for another use, such as an access token of the same issuer, is
// refused.
func TestVerify_Type(t *testing.T) {
	t.Parallel()
	own, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	key := jose.JSONWebKey{Key: own, KeyID: "k", Algorithm: "ES256", Use: "sig"}
	c, err := client.New(clienttest.URL, client.Options{Transport: answering(t, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key.Public()}})})
	if err != nil {
		t.Fatal(err)
	}
	for typ, ok := range map[string]bool{"JWT": true, "jwt": true, "at+jwt": false, "dpop+jwt": false, "": false} {
		headers := map[jose.HeaderKey]any{}
		if typ != "" {
			headers["typ"] = typ
		}
		_, err := c.Verify(t.Context(), signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: key}, headers))
		if ok != (err == nil) {
			t.Errorf("a token of the type %q: %v", typ, err)
		}
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	portico := clienttest.New(t)
	c := portico.Client(client.Options{})
	good := portico.Token(mara, nil)
	for name, test := range map[string]struct {
		headers map[string][]string
		ok      bool
		err     error
	}{
		"nobody":                {nil, false, nil},
		"a token":               {map[string][]string{"X-Portico-Token": {good}}, true, nil},
		"an empty one":          {map[string][]string{"X-Portico-Token": {""}}, false, nil},
		"the same twice":        {map[string][]string{"X-Portico-Token": {good, good}}, false, client.ErrRefused},
		"one and an empty one":  {map[string][]string{"X-Portico-Token": {"", good}}, false, client.ErrRefused},
		"joined":                {map[string][]string{"X-Portico-Token": {good + ", " + good}}, false, client.ErrRefused},
		"names without a token": {map[string][]string{"X-Portico-User": {"evil"}, "Remote-User": {"evil"}}, false, nil},
		"a name that folds":     {map[string][]string{"X_portico_token": {good}, "X-Portico_token": {good}}, false, nil},
		"a bearer":              {map[string][]string{"Authorization": {"Bearer " + good}}, false, nil},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		for name, values := range test.headers {
			r.Header[name] = values
		}
		who, ok, err := c.Identify(r)
		if ok != test.ok || !errors.Is(err, test.err) || ok != (who.ID != "") {
			t.Errorf("%s: %+v, %v (%v)", name, who, ok, err)
		}
	}
}

// Only tokens that Portico has signed identify a user.
func FuzzIdentify(f *testing.F) {
	portico := clienttest.New(f)
	c := portico.Client(client.Options{})
	good := portico.Token(mara, nil)
	part := strings.Split(good, ".")
	for _, seed := range []string{
		"", "a.b.c", "..", good[:40], strings.ToUpper(good), good + "\x00", part[0] + "." + part[0] + "." + part[2],
		"eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJFUzI1NiIsImNyaXQiOltdfQ.e30.AAAA", "eyJhbGciOiJFUzI1NiIsImtpZCI6e319.e30.AAAA", `{"payload":"e30"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header[client.TokenHeader] = []string{token}
		who, ok, err := c.Identify(r)
		if ok || who.ID != "" || token != "" && !errors.Is(err, client.ErrRefused) {
			t.Errorf("%q is %+v (%v)", token, who, err)
		}
	})
}

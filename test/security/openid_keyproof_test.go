package security

import (
	"crypto"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/openid/openidtest"
	"portico/internal/secret"
)

const (
	tokenPath    = "/auth/openid/token"
	userInfoPath = "/auth/openid/userinfo"
)

// keyholder has a key, and proves it at a site.
type keyholder struct {
	*site
	key crypto.Signer
}

func (s *site) keyholder() keyholder {
	s.Helper()
	return keyholder{s, openidtest.NewKey(s, jose.ES256)}
}

func (k keyholder) thumbprint() string { return openidtest.Thumbprint(k, k.key) }

// claims returns the claims of a proof for a request, with changes: nil removes one.
func (k keyholder) claims(method, path, access string, changes object) object {
	return openidtest.Proof(k.clock.Now(), method, k.origin+path, access, changes)
}

// signs returns claims as a proof. header has changes of its header.
func (k keyholder) signs(claims, header object) string {
	k.Helper()
	return openidtest.SignProof(k, jose.ES256, k.key, claims, header)
}

func (k keyholder) proof(method, path, access string, changes object) string {
	k.Helper()
	return k.signs(k.claims(method, path, access, changes), nil)
}

// proves sends a form to the token endpoint with proofs.
func (s *site) proves(form url.Values, proofs ...string) rpAnswer {
	s.Helper()
	return s.rpSend("token", form.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Dpop": proofs})
}

// exchange sends a form to the token endpoint with a proof of the key.
func (k keyholder) exchange(form url.Values) rpAnswer {
	k.Helper()
	return k.proves(form, k.proof("POST", tokenPath, "", nil))
}

// shows sends an access token to UserInfo, and returns the status.
func (s *site) shows(scheme, access string, proofs ...string) int {
	s.Helper()
	header := http.Header{"Authorization": {scheme + " " + access}}
	if len(proofs) > 0 {
		header["Dpop"] = proofs
	}
	return s.visitor().do("GET", userInfoPath, "", header).status
}

// opens reports whether an access token works with a fresh proof of the key.
func (k keyholder) opens(access string) bool {
	k.Helper()
	return k.shows("DPoP", access, k.proof("GET", userInfoPath, access, nil)) == 200
}

func TestSEC306_KeyProofReplay(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, k := s.visitor().register(fresh("v")), s.keyholder()
	got := k.exchange(codeForm(v.openIDCode()))
	if got.status != 200 || !k.opens(got.Access) {
		t.Fatalf("the owner of the key: %d %s", got.status, got.body)
	}
	for range rounds(2, 50) {
		once := k.proof("GET", userInfoPath, got.Access, nil)
		if won := race(20, func() bool { return s.shows("DPoP", got.Access, once) == 200 }); won != 1 {
			t.Fatalf("one proof counted %d times at UserInfo", won)
		}
		refresh := v.rpTokens().Refresh
		once = k.proof("POST", tokenPath, "", nil)
		if won := race(20, func() bool { return s.proves(refreshForm(refresh), once).status == 200 }); won != 1 {
			t.Fatalf("one proof counted %d times at a refresh", won)
		}
	}
	once := k.proof("GET", userInfoPath, got.Access, nil)
	if s.shows("DPoP", got.Access, once) != 200 {
		t.Fatal("a fresh proof does not count")
	}
	s.stop()
	s.run()
	for range 4 { // until it is too old, and beyond
		if s.shows("DPoP", got.Access, once) != 401 {
			t.Error("a used proof counts again")
		}
		s.clock.Advance(time.Minute)
	}
	used := k.proof("POST", tokenPath, "", nil)
	if a := s.proves(codeForm(v.openIDCode()), used); a.status != 200 {
		t.Fatalf("a fresh proof: %d %s", a.status, a.body)
	}
	code := v.openIDCode()
	s.refused("a used proof for a new code", s.proves(codeForm(code), used), "invalid_dpop_proof")
	if a := k.exchange(codeForm(code)); a.status != 200 {
		t.Errorf("the attempt has used up the code: %d %s", a.status, a.body)
	}
	// A stranger who learns a jti cannot use it up for the owner.
	claims := k.claims("GET", userInfoPath, got.Access, nil)
	s.shows("DPoP", got.Access, s.keyholder().signs(claims, nil))
	if s.shows("DPoP", got.Access, k.signs(claims, nil)) != 200 {
		t.Error("a proof of another key has used up the jti")
	}
}

func TestSEC307_StolenBoundTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withRobot)
	v, k, thief := s.visitor().register(fresh("v")), s.keyholder(), s.keyholder()
	stolen := func(what, access string) {
		t.Helper()
		for how, status := range map[string]int{
			"as a bearer token":        s.shows("Bearer", access),
			"as a bearer with a proof": s.shows("Bearer", access, k.proof("GET", userInfoPath, access, nil)),
			"without a proof":          s.shows("DPoP", access),
			"with a key of the thief":  s.shows("DPoP", access, thief.proof("GET", userInfoPath, access, nil)),
			"with two proofs":          s.shows("DPoP", access, k.proof("GET", userInfoPath, access, nil), k.proof("GET", userInfoPath, access, nil)),
		} {
			if status != 401 {
				t.Errorf("%s opens UserInfo %s: %d", what, how, status)
			}
		}
		if !k.opens(access) {
			t.Errorf("%s does not open UserInfo for its owner", what)
		}
	}
	got := k.exchange(codeForm(v.openIDCode()))
	stolen("an opaque token", got.Access)
	other := k.exchange(codeForm(v.openIDCode()))
	if s.shows("DPoP", got.Access, k.proof("GET", userInfoPath, other.Access, nil)) != 401 {
		t.Error("a proof counts for another token of the same key")
	}
	code := v.authorize(codeRequest("client_id", "robot", "scope", "openid email")).sentBack(rpBack).Get("code")
	jwt := k.exchange(codeForm(code, "client_id", "robot", "client_secret", robotSecret))
	stolen("a token in JWT form", jwt.Access)
	for what, token := range map[string]string{"opaque": got.Access, "JWT": jwt.Access} {
		if at := strings.LastIndexByte(token, '.'); s.shows("Bearer", token[:strings.LastIndexByte(token[:at], '.')]+token[at:]) != 401 {
			t.Errorf("%s: a token works without the part that names its key", what)
		}
	}
	s.refused("a refresh without the key", s.rp("token", refreshForm(got.Refresh)), "invalid_dpop_proof")
	// The refresh tokens of a public client have no other protection.
	page := []string{"client_id", "spa", "client_secret", "", "redirect_uri", "https://spa.test/cb"}
	spa := k.exchange(codeForm(v.openIDCode("client_id", "spa", "redirect_uri", "https://spa.test/cb"), page...))
	s.refused("with a key of the thief", thief.exchange(refreshForm(spa.Refresh, page[:4]...)), "invalid_grant")
	s.refused("without a key", s.rp("token", refreshForm(spa.Refresh, page[:4]...)), "invalid_dpop_proof")
	next := k.exchange(refreshForm(spa.Refresh, page[:4]...))
	if next.status != 200 {
		t.Errorf("the owner: %d %s", next.status, next.body)
	}
	s.refused("a lost answer, asked for by the thief", thief.exchange(refreshForm(spa.Refresh, page[:4]...)), "invalid_grant")
	// A stolen code is of no use without the key that its request names.
	request := []string{"client_id", "spa", "redirect_uri", "https://spa.test/cb", "dpop_jkt", k.thumbprint()}
	bound := v.openIDCode(request...)
	s.refused("a code with a key of the thief", thief.exchange(codeForm(bound, page...)), "invalid_grant")
	s.refused("a code without a key", s.rp("token", codeForm(bound, page...)), "invalid_dpop_proof")
	if a := k.exchange(codeForm(bound, page...)); a.status != 200 {
		t.Errorf("the owner after the thief: %d %s", a.status, a.body)
	}
}

// A thief comes first, with a key. The owner's use of the same token or code must end what the thief has.
func TestSEC496_AThiefBindsTokens(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, thief := s.visitor().register(fresh("v")), s.keyholder()
	page := []string{"client_id", "spa", "client_secret", "", "redirect_uri", "https://spa.test/cb"}
	code := func() string { return v.openIDCode("client_id", "spa", "redirect_uri", "https://spa.test/cb") }
	refresh := func(token string) url.Values { return refreshForm(token, page[:4]...) }
	first := s.rp("token", codeForm(code(), page...))
	s.refused("a refresh token with a key of the thief", thief.exchange(refresh(first.Refresh)), "invalid_grant")
	stolen := s.rp("token", refresh(first.Refresh))
	s.clock.Advance(31 * time.Second)
	s.refused("the owner, after the thief", s.rp("token", refresh(first.Refresh)), "invalid_grant")
	s.refused("what the thief got", s.rp("token", refresh(stolen.Refresh)), "invalid_grant")
	s.refused("what the thief got, with a key", thief.exchange(refresh(stolen.Refresh)), "invalid_grant")
	// The same with a code and its verifier.
	shared := code()
	bound := thief.exchange(codeForm(shared, page...))
	if !thief.opens(bound.Access) {
		t.Fatalf("the thief was not first: %d %s", bound.status, bound.body)
	}
	s.refused("the owner's code", s.rp("token", codeForm(shared, page...)), "invalid_grant")
	s.refused("a refresh of the thief", thief.exchange(refresh(bound.Refresh)), "invalid_grant")
	if thief.opens(bound.Access) {
		t.Error("the access token of the thief works")
	}
}

func TestSEC308_ForgedKeyProofs(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, k, thief := s.visitor().register(fresh("v")), s.keyholder(), s.keyholder()
	got := k.exchange(codeForm(v.openIDCode()))
	claims := func(changes object) object { return k.claims("GET", userInfoPath, got.Access, changes) }
	public := jose.JSONWebKey{Key: k.key.Public()}
	right := k.signs(claims(nil), nil)
	body := right[strings.Index(right, "."):]
	names, _ := json.Marshal(public)
	header := func(text string) string { return base64URL(text) + body }
	now := s.clock.Now()
	for what, proof := range map[string]string{
		"the key of the owner in the header, signed by the thief": thief.signs(claims(nil), object{"jwk": public}),
		"the private key in the header":                           k.signs(claims(nil), object{"jwk": jose.JSONWebKey{Key: k.key}}),
		"no key in the header":                                    k.signs(claims(nil), object{"jwk": nil}),
		"an address of keys":                                      thief.signs(claims(nil), object{"jwk": nil, "jku": "https://evil.test/jwks"}),
		"HMAC with the public key":                                sign(t, jose.HS256, jose.JSONWebKey{Key: append(names, make([]byte, 32)...)}, encode(claims(nil))),
		"no algorithm":                                            header(`{"alg":"none","typ":"dpop+jwt","jwk":` + string(names) + `}`),
		"a changed header":                                        header(`{"alg":"ES256","typ":"dpop+jwt","x":1,"jwk":` + string(names) + `}`),
		"no signature":                                            right[:strings.LastIndex(right, ".")+1],
		"an assertion":                                            k.signs(claims(nil), object{"typ": "JWT"}),
		"an access token in JWT form":                             k.signs(claims(nil), object{"typ": "at+jwt"}),
		"another method":                                          k.signs(claims(object{"htm": "POST"}), nil),
		"another address":                                         k.signs(claims(object{"htu": s.origin + tokenPath}), nil),
		"another server":                                          k.signs(claims(object{"htu": "https://evil.test" + userInfoPath}), nil),
		"no hash of the token":                                    k.signs(claims(object{"ath": nil}), nil),
		"the hash of another token":                               k.signs(claims(object{"ath": secret.Encode(secret.Hash("x"))}), nil),
		"no jti":                                                  k.signs(claims(object{"jti": nil}), nil),
		"made an hour ago":                                        k.signs(claims(object{"iat": now.Add(-time.Hour).Unix()}), nil),
		"made for later":                                          k.signs(claims(object{"iat": now.Add(time.Hour).Unix(), "exp": now.Add(2 * time.Hour).Unix()}), nil),
		"an ID token":                                             got.ID,
		"nothing":                                                 "",
		"a long text":                                             strings.Repeat("a", 5000),
	} {
		if status := s.shows("DPoP", got.Access, proof); status != 401 {
			t.Errorf("%s: %d", what, status)
		}
		if what != "nothing" {
			s.refused(what, s.proves(codeForm(v.openIDCode()), proof), "invalid_dpop_proof")
		}
	}
	if s.shows("DPoP", got.Access, right) != 200 {
		t.Error("the attempts have used up the right one")
	}
}

package security

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/signingkey"
	"portico/internal/store"
)

func TestSEC299_RestartInTheMiddle(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, withTV)
	address := fresh("v")
	v := s.visitor().register(address)
	s.clock.Advance(10 * time.Second)
	name, d, code := s.pushes(), s.device(), v.openIDCode()
	again := query(t, v.authorize(codeRequest("prompt", "login")).header.Get("Location")).Get("return_to")
	s.restart()
	if a := v.pulls(name); a.sentBack(rpBack).Get("code") == "" {
		t.Errorf("a request that was pushed before: %d %s", a.status, a.header.Get("Location"))
	}
	v.form(devicePath, d.answer(v, "allow"))
	if back := v.get(again).sentBack(rpBack); back != nil {
		t.Errorf("the browser goes on without a new sign-in: %v", back)
	}
	form := codeForm(code)
	got := s.rp("token", form)
	next := s.rp("token", refreshForm(got.Refresh))
	if got.status != 200 || next.status != 200 {
		t.Fatalf("a code of before: %d %s, and its refresh token: %d %s", got.status, got.body, next.status, next.body)
	}
	s.clock.Advance(5 * time.Second)
	s.restart()
	if a := v.pulls(name); a.status != 422 {
		t.Errorf("a pushed request again: %d %s", a.status, a.header.Get("Location"))
	}
	if won := race(20, func() bool { return d.polls().Access != "" }); won != 1 {
		t.Errorf("a device that was let in before got tokens %d times", won)
	}
	if a := s.rp("token", refreshForm(got.Refresh)); a.Refresh != next.Refresh || !s.works(next.Access) {
		t.Errorf("a lost answer that is asked for again: %d %s", a.status, a.body)
	}
	onward := v.signInTo(address, again)
	s.restart()
	if a := v.get(onward); a.sentBack(rpBack).Get("code") == "" {
		t.Errorf("after a new sign-in: %d %s", a.status, a.header.Get("Location"))
	}
	s.refused("the code again", s.rp("token", form), "invalid_grant")
	s.refused("the refresh token of a code that was used twice", s.rp("token", refreshForm(next.Refresh)), "invalid_grant")
}

// rotates replaces the signing key, with or without the time that apps need to learn
// of it.
func (s *site) rotates(hard bool) {
	s.Helper()
	keys, err := s.app.Operator.SigningKeys(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	if hard {
		keys = slices.DeleteFunc(keys, func(k signingkey.Entry) bool { return k.Algorithm != "ES256" })
		err = s.app.Operator.RevokeKey(s.Context(), flow.ByOperator, keys[len(keys)-1].ID)
	} else {
		_, err = s.app.Operator.RotateKey(s.Context(), flow.ByOperator)
		s.clock.Advance(16 * time.Minute)
	}
	if err == nil {
		err = s.app.Operator.FollowKeys(s.Context())
	}
	if err != nil {
		s.Fatal(err)
	}
}

// verified returns the id of the published key that has signed a token, "" for none.
func (s *site) verified(token string) string {
	s.Helper()
	var set jose.JSONWebKeySet
	s.visitor().get("/.well-known/jwks.json").parse(&set)
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		s.Fatal(err)
	}
	id := signed.Signatures[0].Header.KeyID
	for _, key := range set.Key(id) {
		if _, err := signed.Verify(key); err == nil {
			return id
		}
	}
	return ""
}

func TestSEC299_KeyInTheMiddle(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].AccessToken = "jwt" })
	v := s.visitor().register(fresh("v"))
	hint := func(id string) url.Values {
		return url.Values{"id_token_hint": {id}, "post_logout_redirect_uri": {rpBye}}
	}
	before := v.rpTokens()
	s.rotates(false)
	after := v.rpTokens()
	if one, two := s.verified(before.ID), s.verified(after.ID); one == "" || two == "" || one == two {
		t.Fatalf("the ID tokens before and after the rotation are of the keys %q and %q", one, two)
	}
	if a := v.askLogout(hint(before.ID)); a.status != 200 {
		t.Errorf("an ID token of the former key as a hint at the sign-out: %d", a.status)
	}
	if a := v.authorize(codeRequest("id_token_hint", before.ID, "prompt", "none")); a.sentBack(rpBack).Get("code") == "" {
		t.Errorf("an ID token of the former key as a hint: %d %s", a.status, a.header.Get("Location"))
	}
	if next := s.rp("token", refreshForm(before.Refresh)); next.status != 200 || s.verified(next.ID) != s.verified(after.ID) {
		t.Errorf("a refresh after the rotation: %d %s", next.status, next.body)
	}

	code := v.openIDCode()
	s.rotates(true) // between the request and the tokens
	last := s.rp("token", codeForm(code))
	if last.status != 200 || s.verified(last.ID) == "" || !s.works(last.Access) {
		t.Fatalf("a code of before the new key: %d %s", last.status, last.body)
	}
	if s.verified(after.ID) != "" {
		t.Error("the revoked key is published")
	}
	if a := v.askLogout(hint(after.ID)); a.status == 200 && strings.Contains(a.body, url.QueryEscape(rpBye)) || a.sentBack(rpBye) != nil {
		t.Errorf("an ID token of a revoked key counts as a hint at the sign-out: %d", a.status)
	}
	if got := v.authorize(codeRequest("id_token_hint", after.ID)).sentBack(rpBack); got.Get("error") != "invalid_request" {
		t.Errorf("an ID token of a revoked key as a hint: %v", got)
	}
	if s.works(after.Access) || s.rp("introspect", url.Values{"token": {after.Access}, "client_id": {"rp"}, "client_secret": {rpSecret}}).Active {
		t.Error("an access token of a revoked key works")
	}
	if next := s.rp("token", refreshForm(after.Refresh)); next.status != 200 || !s.works(next.Access) {
		t.Errorf("a refresh after the revocation: %d %s", next.status, next.body)
	}

	former := s.verified(before.ID)
	s.clock.Advance(2 * time.Hour)
	s.rotates(false)
	if s.verified(before.ID) != "" {
		t.Error("the first key is still published")
	}
	if a := v.askLogout(hint(before.ID)); a.status != 200 || !strings.Contains(a.body, url.QueryEscape(rpBye)) {
		t.Errorf("hours later, an ID token of the session as a hint at the sign-out: %d", a.status)
	}
	if err := s.app.Operator.RevokeKey(t.Context(), flow.ByOperator, former); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Operator.FollowKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := v.askLogout(hint(before.ID)); a.status == 200 && strings.Contains(a.body, url.QueryEscape(rpBye)) || a.sentBack(rpBye) != nil {
		t.Errorf("and once its key is revoked: %d", a.status)
	}
}

// A node that has not read the keys says so. It uses up nothing, and takes no token for a foreign one.
func TestSEC299_NoKeysYet(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.Clients[0].AccessToken = "jwt" })
	v := s.visitor().register(fresh("v"))
	got := v.rpTokens()
	idle, err := app.New(t.Context(), s.config, app.Options{Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if _, err := idle.OpenID.Inspect(t.Context(), got.Access); !errors.Is(err, signingkey.Unavailable) {
		t.Errorf("without keys, a token gives %v", err)
	}
	if err := idle.Operator.FollowKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found, err := idle.OpenID.Inspect(t.Context(), got.Access); err != nil || found.Bearer == nil {
		t.Errorf("with keys, a token gives %+v, %v", found, err)
	}

	err = s.app.Store.Write(t.Context(), func(tx *store.Tx) error { // so that the keys of EdDSA cannot be read
		_, err := tx.InsertSigningKey(t.Context(), signingkey.Key{ID: "damaged", Generation: 1 + 2<<32, Sealed: []byte("x"), SignsAt: s.clock.Now()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s.app.Keys.Extend([]string{"EdDSA"})
	s.follows(func(c *config.Config) { c.Clients[0].IDTokenAlg = "EdDSA" })
	form := codeForm(v.openIDCode())
	for range 2 {
		if a := s.rp("token", form); a.status != 503 {
			t.Errorf("a code without a key for its tokens: %d %s", a.status, a.body)
		}
	}
	if err := s.app.Operator.RevokeKey(t.Context(), flow.ByOperator, "damaged"); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Operator.FollowKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := s.rp("token", form); a.status != 200 || !s.works(a.Access) {
		t.Errorf("the same code with a key: %d %s", a.status, a.body)
	}
}

package federation

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/clock"
	"portico/internal/fault"
)

func TestCallback(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		edit  func(o *op, q url.Values)
		code  string // of the fault; "": accepted
		cause string
	}{
		{"as it should be", func(*op, url.Values) {}, "", ""},
		{"unknown parameters, also twice", func(_ *op, q url.Values) { q["session_state"], q["x"] = []string{"1"}, []string{"1", "2"} }, "", ""},
		{"right issuer", func(o *op, q url.Values) { q.Set("iss", o.srv.URL) }, "", ""},
		{"no state", func(_ *op, q url.Values) { q.Del("state") }, CodeRejected, "state"},
		{"empty state", func(_ *op, q url.Values) { q.Set("state", "") }, CodeRejected, "state"},
		{"another state", func(_ *op, q url.Values) { q.Set("state", "other") }, CodeRejected, "state"},
		{"state twice", func(_ *op, q url.Values) { q.Add("state", flowID) }, CodeRejected, "parameter state 2 times"},
		{"code twice", func(_ *op, q url.Values) { q.Add("code", "other") }, CodeRejected, "parameter code 2 times"},
		{"issuer twice", func(o *op, q url.Values) { q["iss"] = []string{o.srv.URL, o.srv.URL} }, CodeRejected, "parameter iss 2 times"},
		{"no code", func(_ *op, q url.Values) { q.Del("code") }, CodeRejected, "neither a code nor an error"},
		{"huge code", func(_ *op, q url.Values) { q.Set("code", strings.Repeat("x", 4097)) }, CodeRejected, "4097 bytes"},
		{"another code", func(_ *op, q url.Values) { q.Set("code", "stolen") }, CodeRejected, "invalid_grant"},
		{"another issuer", func(_ *op, q url.Values) { q.Set("iss", "https://evil.test") }, CodeRejected, "names another issuer"},
		{"issuer with a slash", func(o *op, q url.Values) { q.Set("iss", o.srv.URL+"/") }, CodeRejected, "names another issuer"},
		{"denied", func(_ *op, q url.Values) { q.Set("error", "access_denied") }, CodeCancelled, ""},
		{"denied, without a code", func(_ *op, q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, CodeCancelled, ""},
		{"denied by a stranger", func(_ *op, q url.Values) { q.Set("error", "access_denied"); q.Set("iss", "https://evil.test") }, CodeRejected, "names another issuer"},
		{"denied in another attempt", func(_ *op, q url.Values) { q.Set("error", "access_denied"); q.Set("state", "other") }, CodeRejected, "state"},
		{"cancelled at apple", func(_ *op, q url.Values) { q.Set("error", "user_cancelled_authorize") }, CodeCancelled, ""},
		{"cancelled at linkedin", func(_ *op, q url.Values) { q.Set("error", "user_cancelled_login") }, CodeCancelled, ""},
		{"provider in trouble", func(_ *op, q url.Values) { q.Set("error", "server_error") }, CodeUnavailable, "server_error"},
		{"provider overloaded", func(_ *op, q url.Values) { q.Set("error", "temporarily_unavailable") }, CodeUnavailable, "temporarily"},
		{"our request is wrong", func(_ *op, q url.Values) {
			q.Set("error", "invalid_scope")
			q.Set("error_description", "no\nsuch scope")
		}, CodeRejected, `"invalid_scope": "no\nsuch scope"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			begun := b.begin()
			callback := b.op.authorize(begun.URL)
			c.edit(b.op, callback)
			_, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback)
			if c.code == "" {
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
				return
			}
			f := want(t, err, c.code, c.cause)
			if (f.RetryAfter > 0) != (c.code == CodeUnavailable) || (f.Kind == fault.Unavailable) != (c.code == CodeUnavailable) {
				t.Errorf("got the kind %v, to be tried again after %v", f.Kind, f.RetryAfter)
			}
			if c.cause != "invalid_grant" && b.op.hit("/token") != 0 {
				t.Error("the code was redeemed before the callback was judged")
			}
		})
	}
}

func TestPromisedIssuerIsRequired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.op.members["authorization_response_iss_parameter_supported"] = "true"
	_, err := b.signIn()
	want(t, err, CodeRejected, "lacks the parameter iss")
}

func TestPendingIsForItsProviderAndOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begun := b.begin()
	callback := b.op.authorize(begun.URL)
	for name, pending := range map[string]string{
		"empty": "", "null": "null", "garbage": "x", "without a provider": `{"state":"` + flowID + `"}`, "without a state": `{"provider":"acme"}`,
	} {
		if _, err := b.s.Finish(t.Context(), "acme", []byte(pending), callback); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
	if _, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback); err != nil {
		t.Fatal(err)
	}
	_, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback)
	want(t, err, CodeRejected, "invalid_grant")
}

// A caller that forgets the state must not have it match a callback without one.
func TestEmptyStateMatchesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	begun, err := b.s.Begin(t.Context(), "acme", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.s.Finish(t.Context(), "acme", begun.Pending, b.op.authorize(begun.URL))
	want(t, err, CodeRejected, "state")
}

// Two providers, one honest and one evil (RFC 9700 4.4): what begins at one
// never ends at the other, and no code reaches the wrong token endpoint.
func TestMixUp(t *testing.T) {
	t.Parallel()
	c := clock.System{}
	honest, evil := newOP(t, c.Now), newOP(t, c.Now)
	config := func(id string, o *op) ProviderConfig {
		return ProviderConfig{ID: id, Issuer: o.srv.URL, ClientID: testClient, ClientSecret: testSecret}
	}
	s := newTestService(t, c, presets(), []string{honest.srv.URL, evil.srv.URL}, config("honest", honest), config("evil", evil))
	begin := func(id string) Begun {
		begun, err := s.Begin(t.Context(), id, flowID)
		if err != nil {
			t.Fatal(err)
		}
		return begun
	}
	atEvil, atHonest := begin("evil"), begin("honest")
	codeOfHonest := honest.authorize(atHonest.URL)

	_, err := s.Finish(t.Context(), "honest", atEvil.Pending, codeOfHonest)
	want(t, err, CodeRejected, "began at provider")
	codeOfHonest.Set("iss", honest.srv.URL)
	_, err = s.Finish(t.Context(), "evil", atEvil.Pending, codeOfHonest)
	want(t, err, CodeRejected, "names another issuer")
	if honest.hit("/token") != 0 || evil.hit("/token") != 0 {
		t.Error("a code was redeemed")
	}

	// The evil provider's key, under the honest provider's name and key id.
	evil.claims["iss"] = quote(honest.srv.URL)
	evil.codes = map[string]url.Values{}
	_, err = s.Finish(t.Context(), "evil", atEvil.Pending, evil.authorize(atEvil.URL))
	want(t, err, CodeRejected, "names another issuer")
}

package federation

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"portico/internal/fault"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.signIn()
	if err != nil {
		t.Fatal(err)
	}
	want := Identity{Provider: "acme", Issuer: b.op.srv.URL, Subject: "subject-1", Email: "ada@x.test", EmailVerified: true, Name: "Ada"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := b.op.hit("/userinfo"); n != 0 {
		t.Errorf("UserInfo was asked %d times although the ID token has the address", n)
	}
	if b.op.form.Has("client_secret") {
		t.Error("the secret is in the body although the provider takes it in the header")
	}
}

func TestNothingIsAskedBeforeTheButton(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if got := b.s.List(); len(got) != 1 || got[0] != (Provider{ID: "acme", Name: "Acme", Icon: "openid", Vouches: true}) {
		t.Errorf("got the list %+v", got)
	}
	if n := b.op.hit("/.well-known/openid-configuration"); n != 0 {
		t.Errorf("the provider was asked %d times", n)
	}
}

func TestEachAttemptHasItsOwnSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seen := map[string]bool{}
	for range 100 {
		begun := b.begin()
		var a attempt
		if err := json.Unmarshal(begun.Pending, &a); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{a.Nonce, a.Verifier} {
			if seen[secret] || len(secret) < 43 {
				t.Fatalf("%q is short or was there before", secret)
			}
			seen[secret] = true
		}
		if strings.Contains(begun.URL, a.Verifier) {
			t.Fatal("the verifier is in the address")
		}
		u, _ := url.Parse(begun.URL)
		if q := u.Query(); q.Get("state") != flowID || q.Get("redirect_uri") != callbackURL("acme") {
			t.Fatalf("got the address %s", begun.URL)
		}
	}
}

func TestUnknownProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.s.Begin(t.Context(), "nobody", flowID)
	want(t, err, CodeUnknown, "")
	_, err = b.s.Finish(t.Context(), "nobody", nil, nil)
	if f := want(t, err, CodeUnknown, ""); f.Kind != fault.Missing {
		t.Errorf("got the kind %v", f.Kind)
	}
}

func TestSecretPlacement(t *testing.T) {
	t.Parallel()
	b := setup(t, func(pc *ProviderConfig) { pc.ClientSecret = "" })
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post"]`
	_, err := b.signIn() // the provider insists on the header
	want(t, err, CodeRejected, "invalid_client")
	if b.op.form.Get("client_id") != testClient || b.op.form.Has("client_secret") {
		t.Errorf("a public client sent %v", b.op.form)
	}
	if n := b.op.hit("/token"); n != 1 {
		t.Errorf("the code was posted %d times", n)
	}

	b = setup(t)
	b.op.members["token_endpoint_auth_methods_supported"] = `["client_secret_post","private_key_jwt"]`
	_, _ = b.signIn()
	if b.op.form.Get("client_secret") != testSecret {
		t.Errorf("client_secret_post sent %v", b.op.form)
	}
}

func TestMetadataIsKeptForAnHour(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		after time.Duration
		asked int
	}{{0, 1}, {time.Hour, 1}, {time.Second, 2}} {
		b.clock.Advance(c.after)
		b.begin()
		if n := b.op.hit("/.well-known/openid-configuration"); n != c.asked {
			t.Errorf("after %v more: asked %d times, want %d", c.after, n, c.asked)
		}
	}
}

// Another system may have written an issuer differently. An identity has it as the provider's sign-ins do.
func TestOfIssuer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := newTestService(t, b.clock, presets(), nil,
		ProviderConfig{ID: "github", ClientID: "x", ClientSecret: "y"}, ProviderConfig{ID: "microsoft", ClientID: "x", ClientSecret: "y"},
		ProviderConfig{ID: "auth0", ClientID: "x", Issuer: "https://a.test/"})
	const tenant = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
	for issuer, want := range map[string][2]string{
		"https://github.com": {"github", "https://github.com/login/oauth"}, "https://github.com/login/oauth": {"github", "https://github.com/login/oauth"},
		tenant: {"microsoft", tenant}, "https://a.test": {"auth0", "https://a.test/"}, "https://b.test": {},
	} {
		id, exact, ok := s.OfIssuer(issuer)
		if id != want[0] || ok && exact != want[1] || s.Issues(want[0], issuer) != ok || s.Issues("other", issuer) {
			t.Errorf("%s: %q, %q, %v", issuer, id, exact, ok)
		}
	}
}

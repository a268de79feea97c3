package federation

import (
	"crypto/elliptic"
	"slices"
	"strings"
	"testing"

	"portico/internal/clock"
	"portico/internal/egress"
)

// build makes a service of the real presets.
func build(t *testing.T, list ...ProviderConfig) (*Service, error) {
	t.Helper()
	client, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{Providers: list, Client: client, Clock: clock.System{}, RedirectURL: callbackURL})
}

func TestNewNamesEveryMistake(t *testing.T) {
	t.Parallel()
	yes := true
	_, key := pkcs8(t, elliptic.P256())
	cases := []struct {
		pc    ProviderConfig
		words string // "": no mistake
	}{
		{ProviderConfig{ID: "google", ClientID: "c", ClientSecret: "s"}, ""},
		{ProviderConfig{ID: "corp", Issuer: "https://id.corp.test/realm", ClientID: "c"}, ""},
		{ProviderConfig{ID: "dev", Issuer: "http://127.0.0.1:9000", ClientID: "c"}, ""},
		{ProviderConfig{ID: "dev", Issuer: "http://localhost:9000", ClientID: "c"}, ""},
		{ProviderConfig{ID: "work", Preset: "microsoft", Issuer: "https://login.microsoftonline.com/corp.test/v2.0", ClientID: "c", ClientSecret: "s"}, ""},
		{ProviderConfig{ID: "apple", ClientID: "c", TeamID: "t", KeyID: "k", PrivateKey: key}, ""},
		{ProviderConfig{ID: "corp", Issuer: "https://id.corp.test", ClientID: "c", Scopes: []string{"openid", "urn:x:y"}}, ""},
		{ProviderConfig{ID: "", Preset: "google", ClientID: "c", ClientSecret: "s"}, "it may have"},
		{ProviderConfig{ID: "Google", Preset: "google", ClientID: "c", ClientSecret: "s"}, "it may have"},
		{ProviderConfig{ID: "a/b", Preset: "google", ClientID: "c", ClientSecret: "s"}, "it may have"},
		{ProviderConfig{ID: strings.Repeat("a", 33), Preset: "google", ClientID: "c", ClientSecret: "s"}, "it may have"},
		{ProviderConfig{ID: "x", Preset: "gogle", ClientID: "c", ClientSecret: "s"}, "preset is not known"},
		{ProviderConfig{ID: "gogle", ClientID: "c", ClientSecret: "s"}, "issuer is missing"},
		{ProviderConfig{ID: "google", ClientSecret: "s"}, "client_id is missing"},
		{ProviderConfig{ID: "google", ClientID: "c"}, "client_secret is missing"},
		{ProviderConfig{ID: "google", ClientID: "c", ClientSecret: "s", Issuer: "https://evil.test"}, "issuer is fixed"},
		{ProviderConfig{ID: "corp", Issuer: "https://id.corp.test", ClientID: "c", Scopes: []string{"openid", "openid email"}}, "not a scope"},
		{ProviderConfig{ID: "corp", Issuer: "https://id.corp.test", ClientID: "c", Scopes: []string{"email"}}, "lacks openid"},
		{ProviderConfig{ID: "apple", ClientID: "c", TeamID: "t", KeyID: "k", PrivateKey: key, Scopes: []string{"name", "email"}}, ""},
		{ProviderConfig{ID: "facebook", ClientID: "c", ClientSecret: "s", TrustEmail: &yes}, "trust_email cannot be true"},
		{ProviderConfig{ID: "apple", ClientID: "c", KeyID: "k", PrivateKey: key}, "team_id is missing"},
		{ProviderConfig{ID: "apple", ClientID: "c", TeamID: "t", KeyID: "k", PrivateKey: "x"}, "private_key is not a PEM file"},
		{ProviderConfig{ID: "apple", ClientID: "c", ClientSecret: "plain"}, "client_secret cannot be used, because the provider accepts only a signed token"},
		{ProviderConfig{ID: "apple", ClientID: "c", ClientSecret: "header.claims.signature"}, ""},
	}
	var all []ProviderConfig
	for i, c := range cases {
		_, err := build(t, c.pc)
		switch {
		case c.words == "" && err != nil:
			t.Errorf("case %d: got %v, want no mistake", i, err)
		case c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words)):
			t.Errorf("case %d: got %v, want %q", i, err, c.words)
		}
		if c.words != "" {
			all = append(all, c.pc)
		}
	}
	if _, err := build(t, all...); strings.Count(err.Error(), "\n") != len(all)-1 {
		t.Errorf("got %v, want all %d mistakes at once", err, len(all))
	}
	google := ProviderConfig{ID: "google", ClientID: "c", ClientSecret: "s"}
	if _, err := build(t, google, google); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v, want the id to be used twice", err)
	}
}

func TestListKeepsTheOrder(t *testing.T) {
	t.Parallel()
	s, err := build(t,
		ProviderConfig{ID: "work", Preset: "microsoft", Name: "Corp account", ClientID: "c", ClientSecret: "s"},
		ProviderConfig{ID: "github", ClientID: "c", ClientSecret: "s"},
		ProviderConfig{ID: "corp", Issuer: "https://id.corp.test", ClientID: "c"},
	)
	want := []Provider{
		{ID: "work", Name: "Corp account", Icon: "microsoft"},
		{ID: "github", Name: "GitHub", Icon: "github", TellsNoTime: true, Vouches: true},
		{ID: "corp", Name: "corp", Icon: "openid"},
	}
	if err != nil || !slices.Equal(s.List(), want) {
		t.Errorf("got %v, %v", s.List(), err)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	got := Origins([]ProviderConfig{{ID: "google"}, {ID: "corp", Issuer: "https://id.corp.test:8443/realm"}, {ID: "dev", Issuer: "http://127.0.0.1:9000"}})
	if want := []string{"https://id.corp.test:8443", "http://127.0.0.1:9000"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := egress.New(egress.Config{Allow: got}); err != nil {
		t.Error(err)
	}
}

// An operator who corrects the first problem finds the next one where it was.
func TestCheck_InOneOrder(t *testing.T) {
	t.Parallel()
	for range 20 {
		wrong := Check(ProviderConfig{ID: "github", ClientID: "c", ClientSecret: "s", StrongAMR: []string{"mfa"}, StrongACR: []string{"gold"}})
		if len(wrong) != 2 || wrong[0].Key != "mfa_acr" || wrong[1].Key != "mfa_amr" {
			t.Fatalf("%v", wrong)
		}
	}
}

package people

import (
	"slices"
	"strings"
	"testing"
)

// The links of users of Zitadel come with the people only behind the command of docs/operating/exports.md. Otherwise the dry run says
// that nobody brings one.
func TestZitadelLinks(t *testing.T) {
	t.Parallel()
	in := `{"orgs":[{"humanUsers":[{"userId":"1","user":{"email":{"email":"a@b.c"},"idps":[{"configId":"301","externalUserId":"42"},{"configId":"302","externalUserId":"43"}]}}]}]}`
	r, err := source(t, "zitadel").Open(strings.NewReader(in), Options{Parameters: map[string]string{"issuer.301": "https://corp.example"}})
	if err != nil {
		t.Fatal(err)
	}
	p, at, err := r.Next()
	if err != nil || !slices.Equal(p.Identities, []Identity{{Issuer: "https://corp.example", Subject: "42"}}) || !slices.Equal(at.Ignored, []string{"identity of 302"}) {
		t.Errorf("%+v without %q, %v", p.Identities, at.Ignored, err)
	}
}

// What the operator says of the issuer of a provider comes first, also where Supabase has written something.
func TestSupabaseIssuers(t *testing.T) {
	t.Parallel()
	in := `[{"email":"a@b.c","encrypted_password":"","identities":[` +
		`{"provider":"github","provider_id":"1","identity_data":{"iss":"https://github.corp.example/api/v3"}},` +
		`{"provider":"discord","provider_id":"2","identity_data":{"iss":"https://discord.com/api"}},` +
		`{"provider":"azure","provider_id":"3","identity_data":{"iss":"https://login.microsoftonline.com/x/v2.0"}},` +
		`{"provider":"google","provider_id":"4","identity_data":{}},{"provider":"gitlab","provider_id":"5","identity_data":{"iss":"https://gitlab.corp.example"}}]}]`
	r, err := source(t, "supabase").Open(strings.NewReader(in), Options{Parameters: map[string]string{"issuer.gitlab": "https://named.example"}})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := r.Next()
	want := []Identity{
		{Issuer: "https://github.corp.example/api/v3", Subject: "1"}, {Issuer: "https://discord.com", Subject: "2"},
		{Issuer: "https://login.microsoftonline.com/x/v2.0", Subject: "3"}, {Issuer: "https://accounts.google.com", Subject: "4"}, {Issuer: "https://named.example", Subject: "5"},
	}
	if err != nil || !slices.Equal(p.Identities, want) {
		t.Errorf("%+v, %v", p.Identities, err)
	}
}

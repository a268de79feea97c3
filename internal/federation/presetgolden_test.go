package federation

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/goldentest"
)

// Each preset signs a user in as its golden file says: the requests that the
// provider sees, and what becomes of its answers.
func TestPresets_Golden(t *testing.T) {
	t.Parallel()
	for name := range presets() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goldentest.File(t, "testdata/presets/"+name+".txt", goldenOf(t, name))
		})
	}
}

// profiles are the answers of the providers that speak OAuth 2.0 only.
func profiles() map[string]string {
	return map[string]string{
		"https://api.github.com/user":               `{"id":583231,"login":"ada","name":"Ada L"}`,
		"https://api.github.com/user/emails":        `[{"email":"b@x.test","primary":false,"verified":true},{"email":"ada@x.test","primary":true,"verified":true}]`,
		"https://discord.com/api/v10/users/@me":     `{"id":"80351110224678912","username":"ada","global_name":"Ada L","email":"ada@x.test","verified":true}`,
		"https://graph.facebook.com/v25.0/me":       `{"id":"1234","name":"Ada L","email":"ada@x.test"}`,
		"https://api.bitbucket.org/2.0/user":        `{"uuid":"{9484702e-c663-4afd-aefb-c93a8cd31c28}","account_id":"a","display_name":"Ada L","nickname":"ada"}`,
		"https://api.bitbucket.org/2.0/user/emails": `{"values":[{"email":"b@x.test","is_primary":false,"is_confirmed":true},{"email":"ada@x.test","is_primary":true,"is_confirmed":true}]}`,
		"https://api.spotify.com/v1/me":             `{"id":"ada","display_name":"Ada L","email":"ada@x.test"}`,
	}
}

func goldenOf(t *testing.T, name string) string {
	t.Helper()
	pre := presets()[name]
	trust := pre.verifiedFlag != ""
	b := setupPreset(t, name, func(pc *ProviderConfig) { pc.TrustEmail = &trust })
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("%s, icon %s", cmp.Or(pre.name, "named by the operator"), pre.icon)
	switch {
	case pre.issuer == "":
		add("issuer: named by the operator, such as %s", cmp.Or(pre.example, "https://id.example.com"))
	case pre.otherIssuers:
		add("issuer: %s, or another that the operator names", pre.issuer)
	default:
		add("issuer: %s", pre.issuer)
	}
	b.op.refusesPKCE = pre.refusesPKCE
	delete(b.op.expect, "code_challenge_method")
	secret := ""
	b.op.isClient = func(r *http.Request) bool {
		secret = "in the form"
		if _, _, ok := r.BasicAuth(); ok {
			secret = "in the header"
		}
		return true
	}
	b.op.claims["preferred_username"] = `"ada_l"`
	flag := cmp.Or(pre.verifiedFlag, "email_verified")
	b.op.claims[flag] = "true"
	if name == "twitch" {
		b.op.claims["name"] = "" // it has no such claim
	}
	if pre.tenants {
		const tenant = "11111111-2222-3333-4444-555555555555"
		b.s.providers["acme"].publish(b.op.srv.URL + "/common/v2.0")
		b.op.handlers["/common/v2.0/.well-known/openid-configuration"] = b.op.discovery
		b.op.members["issuer"] = quote(b.op.srv.URL + "/{tenantid}/v2.0")
		b.op.claims["iss"] = quote(b.op.srv.URL + "/" + tenant + "/v2.0")
	}
	for address, body := range profiles() {
		b.serve(address, body)
	}
	begun := b.begin()
	u, err := url.Parse(begun.URL)
	if err != nil {
		t.Fatal(err)
	}
	real := func(address string) string {
		if pre.fixed == nil {
			return "authorization_endpoint of the discovery document"
		}
		return strings.Replace(address, b.op.srv.URL, "https:/", 1)
	}
	add("\nGET %s", real(begun.URL[:strings.IndexByte(begun.URL, '?')]))
	for _, key := range slices.Sorted(maps.Keys(u.Query())) {
		value := u.Query().Get(key)
		if slices.Contains([]string{"state", "nonce", "code_challenge"}, key) {
			value = "..."
		}
		add("  %s=%s", key, value)
	}
	got, err := b.s.Finish(t.Context(), "acme", begun.Pending, b.op.authorize(begun.URL))
	if err != nil {
		t.Fatal(err)
	}
	add("\nPOST the code, with the client's secret %s", secret)
	for _, key := range slices.Sorted(maps.Keys(b.op.form)) {
		add("  %s", key)
	}
	for _, path := range slices.Sorted(maps.Keys(b.op.hits)) {
		if _, served := profiles()["https:/"+path]; served {
			add("\nGET https:/%s", path)
		}
	}
	add("\nThe user %s has the name %q and the address %s.", got.Subject, got.Name, got.Email)
	switch {
	case pre.verifiedFlag == "":
		add("The provider does not say whether the address is verified.")
	case got.EmailVerified:
		add("The address counts as proven with trust_email = true (default: %v), because of %s.", pre.trustEmail, pre.verifiedFlag)
	default:
		add("The address does not count as proven, in spite of %s.", pre.verifiedFlag)
	}
	if pre.tellsNoTime {
		add("The provider does not tell when its user signed in.")
	} else {
		add("For a new sign-in: %v", b.s.providers["acme"].askAgain(metadata{}))
	}
	return strings.Join(lines, "\n") + "\n"
}

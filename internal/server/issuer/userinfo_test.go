package issuer_test

import (
	"net/url"
	"strings"
	"testing"
)

// An access token is in the Authorization header or in a form (RFC 6750 2), once.
func TestUserInfo_PlacesOfTheToken(t *testing.T) {
	t.Parallel()
	s := start(t)
	const path, form = "/auth/openid/userinfo", "application/x-www-form-urlencoded"
	b, k := s.signedIn("mara@example.org"), s.holder()
	access := s.tokens(b).Access
	bound := k.token(redemption(s.code(b))).Access
	inForm := url.Values{"access_token": {access}}.Encode()
	for _, try := range []struct {
		what, method, path, body string
		headers                  []string
		status                   int
		code                     string
	}{
		{"a form", "POST", path, inForm, []string{"Content-Type", form + "; charset=utf-8"}, 200, ""},
		{"a header with an empty form", "POST", path, "", []string{"Content-Type", form, "Authorization", "bearer " + access}, 200, ""},
		{"a header with another form and a query", "POST", path + "?a=b", "schema=openid", []string{"Content-Type", form, "Authorization", "Bearer " + access}, 200, ""},
		{"both", "POST", path, inForm, []string{"Content-Type", form, "Authorization", "Bearer " + access}, 400, "invalid_request"},
		{"both, in a wrong form", "POST", path + "?a=b", inForm + "&" + inForm, []string{"Content-Type", form, "Authorization", "Bearer " + access}, 400, "invalid_request"},
		{"a header with two spaces", "GET", path, "", []string{"Authorization", "Bearer  " + access}, 200, ""},
		{"two headers", "GET", path, "", []string{"Authorization", "Bearer " + access, "Authorization", "Bearer " + access}, 400, "invalid_request"},
		{"twice in a form", "POST", path, inForm + "&" + inForm, []string{"Content-Type", form}, 400, "invalid_request"},
		{"the query", "GET", path + "?" + inForm, "", nil, 401, ""},
		{"the query of a form", "POST", path + "?" + inForm, "", []string{"Content-Type", form}, 400, "invalid_request"},
		{"a body of another type", "POST", path, inForm, []string{"Content-Type", "text/plain"}, 401, ""},
		{"the body of a GET", "GET", path, inForm, []string{"Content-Type", form}, 401, ""},
		{"a form without a token", "POST", path, "a=b", []string{"Content-Type", form}, 401, ""},
		{"a token of a key in a form", "POST", path, url.Values{"access_token": {bound}}.Encode(), []string{"Content-Type", form, "DPoP", k.proof("POST", path, bound)}, 401, "invalid_token"},
	} {
		got := s.send(try.method, try.path, try.body, try.headers...)
		if got.StatusCode != try.status || got.Error != try.code || got.StatusCode == 200 && got.Sub == "" {
			t.Errorf("%s: %d %s", try.what, got.StatusCode, got.text)
		}
		if named := strings.Join(got.Header.Values("Www-Authenticate"), ", "); got.StatusCode != 200 && !strings.Contains(named, "Bearer") {
			t.Errorf("%s: the answer asks for no token: %q", try.what, named)
		}
	}
}

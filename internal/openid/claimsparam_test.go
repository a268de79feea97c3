package openid_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/openid"
)

func claimsQuery(claims string, changes ...string) url.Values {
	q := url.Values{
		"client_id": {"rp"}, "redirect_uri": {"https://rp.test/cb"}, "response_type": {"code"}, "scope": {"openid"}, "claims": {claims},
		"code_challenge": {strings.Repeat("A", 43)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		q.Set(changes[i], changes[i+1])
	}
	return q
}

// A request gets the claims that its client may have, and no others.
func TestClaimsParameter(t *testing.T) {
	t.Parallel()
	for what, tt := range map[string]struct {
		query url.Values
		want  []string // claims, then scopes that the user is asked for
	}{
		"null":                     {claimsQuery(`{"userinfo":{"email":null}}`), []string{"userinfo.email", "openid", "email"}},
		"essential":                {claimsQuery(`{"userinfo":{"name":{"essential":true}}}`), []string{"userinfo.name", "openid", "profile"}},
		"in the ID token":          {claimsQuery(`{"id_token":{"groups":{"essential":false}}}`), []string{"id_token.groups", "openid", "groups"}},
		"in both":                  {claimsQuery(`{"id_token":{"email":null},"userinfo":{"email":null}}`), []string{"userinfo.email", "id_token.email", "openid", "email"}},
		"a picture in both":        {claimsQuery(`{"id_token":{"picture":null},"userinfo":{"picture":null}}`), []string{"userinfo.picture", "openid", "profile"}},
		"of a granted scope":       {claimsQuery(`{"userinfo":{"email":null},"id_token":{"email":null}}`, "scope", "openid email"), []string{"id_token.email", "openid", "email"}},
		"a value":                  {claimsQuery(`{"userinfo":{"email":{"value":"x@example.org"}}}`), []string{"userinfo.email", "openid", "email"}},
		"unknown ones":             {claimsQuery(`{"userinfo":{"phone_number":null,"http://x":{"essential":true},"email#de":null},"other":1}`), []string{"openid"}},
		"a client without a scope": {claimsQuery(`{"userinfo":{"email":null},"id_token":{"groups":null}}`, "client_id", "native", "redirect_uri", "http://127.0.0.1/cb"), []string{"openid"}},
		"other letters":            {claimsQuery(`{"UserInfo":{"email":null},"userinfo":{"Email":null}}`), []string{"openid"}},
		"nothing":                  {claimsQuery(`{}`), []string{"openid"}},
		"null in a place":          {claimsQuery(`{"userinfo":null}`), []string{"openid"}},
	} {
		r, err := clients(t).ParseRequest(tt.query)
		if got := slices.Concat(r.Claims, r.Asks()); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", what, got, err, tt.want)
		}
	}
	for _, text := range []string{"", "x", "[]", "null", `"userinfo"`, `{"userinfo":[]}`, `{"userinfo":"email"}`, `{"userinfo":{"email":true}}`, `{"id_token":{"email":{"essential":"yes"}}}`, `{"id_token":{"acr":{"values":"2"}}}`, `{"userinfo":`} {
		var wrong *openid.Error
		if _, err := clients(t).ParseRequest(claimsQuery(text)); !errors.As(err, &wrong) || wrong.Code != "invalid_request" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Three claims say something about the sign-in itself.
func TestClaimsParameter_SignIn(t *testing.T) {
	t.Parallel()
	for claims, want := range map[string]openid.Request{
		`{"id_token":{"acr":{"essential":true,"values":["2"]}}}`:                     {Level: "2"},
		`{"id_token":{"acr":{"essential":true,"value":"1"}}}`:                        {Level: "1"},
		`{"id_token":{"acr":{"essential":true,"values":["2","1"]}}}`:                 {Strong: true},
		`{"id_token":{"acr":{"essential":true,"values":["gold","1","2"]}}}`:          {},
		`{"id_token":{"acr":{"essential":true}}}`:                                    {},
		`{"id_token":{"acr":{"values":["2"]}}}`:                                      {Strong: true},
		`{"id_token":{"acr":{"values":["gold"]}}}`:                                   {},
		`{"userinfo":{"acr":{"essential":true,"values":["2"]}}}`:                     {},
		`{"id_token":{"auth_time":{"essential":true}}}`:                              {Timed: true},
		`{"id_token":{"auth_time":null}}`:                                            {},
		`{"id_token":{"sub":{"value":"a"}}}`:                                         {Users: []string{"a"}},
		`{"userinfo":{"sub":{"values":["a","b"]}},"id_token":{"sub":{"value":"b"}}}`: {Users: []string{"b"}},
		`{"id_token":{"sub":{"essential":true}}}`:                                    {},
		`{"userinfo":{"name":{"value":7},"email":{"values":[null]}}}`:                {},
	} {
		r, err := clients(t).ParseRequest(claimsQuery(claims))
		if err != nil || r.Level != want.Level || r.Strong != want.Strong || r.Timed != want.Timed || !slices.Equal(r.Users, want.Users) {
			t.Errorf("%s: %+v, %v", claims, r, err)
		}
	}
	for claims, code := range map[string]string{
		`{"id_token":{"acr":{"essential":true,"values":["gold"]}}}`:           "unmet_authentication_requirements",
		`{"userinfo":{"sub":{"value":"a"}},"id_token":{"sub":{"value":"b"}}}`: "invalid_request",
		`{"id_token":{"sub":{"value":7}}}`:                                    "invalid_request",
		`{"id_token":{"sub":{"value":null}}}`:                                 "invalid_request",
		`{"userinfo":{"sub":{"values":["a",["b"]]}}}`:                         "invalid_request",
		`{"id_token":{"acr":{"essential":true,"values":[2]}}}`:                "invalid_request",
		`{"id_token":{"acr":{"values":["1",2]}}}`:                             "invalid_request",
		`{"id_token":null,"id_token":{"sub":{"value":"a"}}}`:                  "invalid_request",
		`{"id_token":{"sub":{"value":"a"},"sub":null}}`:                       "invalid_request",
		`{"id_token":{"sub":{"value":"a","value":"b"}}}`:                      "invalid_request",
	} {
		var wrong *openid.Error
		if _, err := clients(t).ParseRequest(claimsQuery(claims)); !errors.As(err, &wrong) || wrong.Code != code {
			t.Errorf("%s: %v, want %s", claims, err, code)
		}
	}
	if r, err := clients(t).ParseRequest(claimsQuery(`{"id_token":{"acr":{"values":["1"]}}}`, "acr_values", "2")); err != nil || !r.Strong {
		t.Errorf("acr_values in addition to the claim: %+v, %v", r, err)
	}
}

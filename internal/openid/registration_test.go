package openid_test

import (
	"reflect"
	"testing"

	"portico/internal/openid"
)

// A member that is null counts as omitted (RFC 7592 2.2): many libraries write all that they know.
func TestParseRegistration_Null(t *testing.T) {
	t.Parallel()
	parse := func(text string) openid.Registration {
		r, err := openid.ParseRegistration([]byte(text), "registered-x", []string{"ES256"})
		if err != nil {
			t.Error(err)
		}
		return r
	}
	const start = `{"client_id":"registered-x","redirect_uris":["https://app.test/cb"]`
	got := parse(start + `,"token_endpoint_auth_method":null,"grant_types":null,"response_types":null,"scope":null,"jwks":null,"jwks_uri":null,
		"sector_identifier_uri":null,"software_statement":null,"subject_type":null,"post_logout_redirect_uris":null,"dpop_bound_access_tokens":null,
		"backchannel_logout_uri":null,"backchannel_logout_session_required":null,"registration_access_token":null,"client_secret_expires_at":null}`)
	if want := parse(start + `}`); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

package openid_test

import (
	"strings"
	"testing"

	"portico/internal/openid"
)

func TestParseMetadata(t *testing.T) {
	t.Parallel()
	const address = "https://app.test/client.json"
	good := `{"client_id":"https://app.test/client.json","client_name":"App","redirect_uris":["https://app.test/cb"],"token_endpoint_auth_method":"none"}`
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for what, tt := range map[string]struct {
		text string
		want string // part of the error, "" for none
	}{
		"as it should be":             {good, ""},
		"without a method":            {with(`,"token_endpoint_auth_method":"none"`, ``), ""},
		"both grants":                 {with(`"client_name":"App"`, `"grant_types":["authorization_code","refresh_token"],"response_types":["code"]`), ""},
		"a loopback address":          {with(`https://app.test/cb`, `http://127.0.0.1/cb`), ""},
		"a private scheme":            {with(`https://app.test/cb`, `com.example.app:/cb`), ""},
		"keys":                        {with(`"none"`, `"private_key_jwt","jwks_uri":"https://app.test/jwks"`), ""},
		"tokens of one key":           {with(`"client_name":"App"`, `"dpop_bound_access_tokens":true`), ""},
		"tokens of one key, in text":  {with(`"client_name":"App"`, `"dpop_bound_access_tokens":"true"`), "dpop_bound_access_tokens"},
		"null members":                {with(`"client_name":"App"`, `"jwks":null,"jwks_uri":null,"client_secret":null,"grant_types":null,"response_types":null,"dpop_bound_access_tokens":null`), ""},
		"a null method":               {with(`"none"`, `null`), ""},
		"null addresses":              {with(`["https://app.test/cb"]`, `null`), "redirect_uris"},
		"no object":                   {`[]`, "object"},
		"null":                        {`null`, "object"},
		"no JSON":                     {`<html>`, "object"},
		"a member twice":              {with(`"client_name":"App"`, `"redirect_uri\u0073":[]`), "duplicate"},
		"another id":                  {with(`client.json`, `other.json`), "client_id"},
		"an id in other letters":      {with(`"client_id"`, `"CLIENT_ID"`), "client_id"},
		"no id":                       {with(`"client_id"`, `"x"`), "client_id"},
		"a secret":                    {with(`"client_name":"App"`, `"client_secret":"x"`), "client_secret"},
		"an end of a secret":          {with(`"client_name":"App"`, `"client_secret_expires_at":0`), "client_secret"},
		"a method with a secret":      {with(`"none"`, `"client_secret_basic"`), "token_endpoint_auth_method"},
		"a method in a list":          {with(`"none"`, `["none"]`), "token_endpoint_auth_method"},
		"no keys":                     {with(`"none"`, `"private_key_jwt"`), "private_key_jwt"},
		"two places of keys":          {with(`"none"`, `"private_key_jwt","jwks_uri":"https://app.test/jwks","jwks":{"keys":[]}`), "jwks and jwks_uri"},
		"two places of other keys":    {with(`"none"`, `"none","jwks_uri":"https://app.test/jwks","jwks":{"keys":[]}`), "jwks and jwks_uri"},
		"another grant":               {with(`"client_name":"App"`, `"grant_types":["client_credentials"]`), "grant_types"},
		"another response":            {with(`"client_name":"App"`, `"response_types":["token"]`), "response_types"},
		"no address":                  {with(`["https://app.test/cb"]`, `[]`), "redirect_uris"},
		"an address that is no list":  {with(`["https://app.test/cb"]`, `"https://app.test/cb"`), "redirect_uris"},
		"many addresses":              {with(`["https://app.test/cb"]`, `["`+strings.Repeat(`https://app.test/cb","`, 20)+`https://app.test/cb"]`), "redirect_uris"},
		"plain http":                  {with(`https://app.test/cb`, `http://app.test/cb`), "redirect_uris"},
		"a script":                    {with(`https://app.test/cb`, `javascript:alert(1)`), "redirect_uris"},
		"a pattern":                   {with(`https://app.test/cb`, `https://*.app.test/cb`), "redirect_uris"},
		"a private scheme with a key": {strings.Replace(with(`https://app.test/cb`, `com.example.app:/cb`), `"none"`, `"private_key_jwt","jwks":{"keys":[]}`, 1), "redirect_uris"},
	} {
		_, err := openid.ParseMetadata([]byte(tt.text), address)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", what, err, tt.want)
		}
	}
}

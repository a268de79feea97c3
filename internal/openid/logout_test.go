package openid_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"portico/internal/openid"
)

// Whatever a request to sign out says, the browser goes only to a registered address of
// the client that it names.
func FuzzParseFarewell(f *testing.F) {
	const bye = "https://rp.test/bye?x=1"
	back := url.Values{"post_logout_redirect_uri": {bye}}.Encode()
	for _, s := range []string{
		"client_id=rp&state=s&" + back, "id_token_hint=rp&" + back, "id_token_hint=rp&client_id=other&" + back, "client_id=rp&client_id=rp&" + back, back, "state=s",
		"client_id=rp&post_logout_redirect_uri=https://rp.test/bye", "client_id=other&" + back, "id_token_hint=wrong&" + back, "client_id=rp&state=%26post_logout_redirect_uri=x%23&" + back, "",
	} {
		f.Add(s)
	}
	list := []openid.Client{{ID: "rp", LogoutReturns: []string{bye}}, {ID: "other", Public: true}}
	registry := openid.NewClients(list)
	verify := func(token string) (openid.Hint, error) {
		if token == "wrong" {
			return openid.Hint{}, errors.New("no ID token")
		}
		return openid.Hint{ClientID: token}, nil
	}
	f.Fuzz(func(t *testing.T, raw string) {
		query, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		got, err := registry.ParseFarewell(query, verify)
		if err != nil {
			if !errors.Is(err, openid.LogoutUnknown) || got.ReturnTo != "" {
				t.Fatalf("%q: %+v, %v", raw, got, err)
			}
			return
		}
		if got.ReturnTo == "" {
			return
		}
		u, err := url.Parse(got.ReturnTo)
		if err != nil || !strings.HasPrefix(got.ReturnTo, bye) || u.Host != "rp.test" || u.Fragment != "" || u.Query().Get("x") != "1" || u.Query().Get("state") != query.Get("state") {
			t.Fatalf("%q leads to %q", raw, got.ReturnTo)
		}
		if got.Client.ID != "rp" || query.Has("id_token_hint") && query.Get("id_token_hint") != "rp" || query.Has("client_id") && query.Get("client_id") != "rp" && query.Get("client_id") != "" {
			t.Fatalf("%q is of the client %q", raw, got.Client.ID)
		}
	})
}

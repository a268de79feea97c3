package screens_test

import (
	"encoding/json"
	"net/netip"
	"path/filepath"
	"testing"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/place/placetest"
	"portico/internal/server/api"
)

// The list of the sessions says in the language of the page where each began.
func TestSessions_SayWhereTheyBegan(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "places.mmdb")
	placetest.Write(t, file, "Test-City")
	s := apptest.Start(t, func(c *config.Config) {
		c.Places, c.TrustedProxies = file, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	s.Person("mara@example.org")
	var v visitor
	for _, address := range []string{"192.0.2.1", placetest.Berlin} {
		v = visit(s)
		v.Header.Set("X-Forwarded-For", address)
		v.SignIn("mara@example.org")
	}
	for language, want := range map[string]string{"en": "Berlin, Germany", "de": "Berlin, Deutschland", "ar": "Berlin, Germany"} {
		v.Header.Set("Accept-Language", language)
		b := v.opens("/auth/account/sessions")
		if len(b.Account.Sessions) != 2 || b.Account.Sessions[0].Place != want || b.Account.Sessions[1].Place != "192.0.2.1" {
			t.Errorf("%s: %+v, want %q here and the network of the other", language, b.Account.Sessions, want)
		}
	}
	v.Header.Set("Accept-Language", "de")
	var list api.Sessions
	if err := json.Unmarshal([]byte(v.Open("/auth/api/sessions").Body), &list); err != nil || len(list.Sessions) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, each := range list.Sessions {
		if want := map[bool]string{true: "Berlin, Deutschland"}[each.Current]; each.Place != want {
			t.Errorf("the API says %q, want %q", each.Place, want)
		}
	}
}

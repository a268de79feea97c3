package people

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// An export says that somebody has no roles and no claims by now, or it says nothing. A job of an admin keeps the difference. That somebody
// is not disabled there says nothing.
func TestSaid(t *testing.T) {
	t.Parallel()
	keycloak := func(fields string) string { return `{"realm":"a","id":"b","users":[{"email":"a@b.c"` + fields + `}]}` }
	kratos := func(state string) string { return `[{"schema_id":"x","traits":{"email":"a@b.c"}` + state + `}]` }
	better := func(fields string) string {
		return `[{"email":"a@b.c","emailVerified":true,"accounts":[]` + fields + `}]`
	}
	for in, want := range map[string]string{
		keycloak(``): " [] false", // of a list of users, which has no roles
		keycloak(`,"enabled":true,"credentials":[]`):                                                " [] true {}",
		keycloak(`,"enabled":true,"credentials":[],"realmRoles":["default-roles-a"]`):               " [] true {}",
		keycloak(`,"enabled":false,"realmRoles":["offline_access"],"attributes":{"locale":["de"]}`): "disabled [] false {}",
		better(``):                                " [] false",
		better(`,"role":null,"banned":null`):      " [] false",
		better(`,"role":"user","banned":false`):   " [] true",
		better(`,"role":"user, a","banned":true`): "disabled [a] true",
		kratos(``):                        " [] false",
		kratos(`,"state":"active"`):       " [] false",
		kratos(`,"state":"inactive"`):     "disabled [] false",
		kratos(`,"metadata_public":{}`):   " [] false {}",
		"users:\n  a: {email: a@b.c}":     " [] true",
		`{"user_id":"1","email":"a@b.c"}`: " [] false",
		`{"user_id":"1","email":"a@b.c","blocked":false,"app_metadata":{}}`:                    " [] false {}",
		`[{"primary_email_address":"a@b.c"}]`:                                                  " [] false",
		"primary_email_address,banned\na@b.c,false":                                            " [] false",
		`{"users":[{"localId":"1","email":"a@b.c"}]}`:                                          " [] false",
		`{"users":[{"localId":"1","email":"a@b.c","disabled":false,"customAttributes":"{}"}]}`: " [] false {}",
		"email,encrypted_password,banned_until\na@b.c,x,":                                      " [] false",
		`{"tables":{"users":[{"email":"a@b.c","disabled":false}]}}`:                            " [] false",
		`{"email":"a@b.c","roles":[],"claims":{}}`:                                             " [] true {}",
	} {
		r, err := recognized(t, []byte(in)).Open(strings.NewReader(in), Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := strings.TrimSpace(fmt.Sprint(p.State, " ", p.Roles, " ", p.Roles != nil, " ", string(p.Claims))); got != strings.TrimSpace(want) {
				t.Errorf("%s: %q, want %q", in, got, want)
			}
			kept, err := json.Marshal(p)
			if p = (Person{}); err == nil {
				err = json.Unmarshal(kept, &p)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

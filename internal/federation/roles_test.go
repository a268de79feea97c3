package federation

import (
	"slices"
	"testing"
)

// Each form in which providers send groups and roles, and what must not count as one.
func TestRoles(t *testing.T) {
	t.Parallel()
	const url = "https://example.com/roles"
	for name, c := range map[string]struct {
		claim, member, value string
		want                 []string
	}{
		"a list":                   {"groups", "groups", `["x","admins","staff"]`, []string{"admin", "editor"}},
		"the default claim":        {"", "groups", `["staff"]`, []string{"editor"}},
		"words":                    {"roles", "roles", `" x  staff\tadmins"`, []string{"admin", "editor"}},
		"a blank within an item":   {"groups", "groups", `["staff admins"]`, nil},
		"an item with a blank":     {"groups", "groups", `["Domain Users"]`, []string{"user"}},
		"two values for one role":  {"groups", "groups", `["staff","authors"]`, []string{"editor"}},
		"nested":                   {"realm_access.roles", "realm_access", `{"roles":["staff"]}`, []string{"editor"}},
		"nested twice":             {"resource_access.my.app.roles", "resource_access", `{"my.app":{"roles":["staff"]}}`, []string{"editor"}},
		"a name with dots":         {url, url, `["staff"]`, []string{"editor"}},
		"another spelling":         {"groups", "groups", `["Staff","STAFF","staff "]`, nil},
		"another name":             {"groups", "Groups", `["staff"]`, nil},
		"an item that is no text":  {"groups", "groups", `[null,7,["staff"],{"staff":true},"admins"]`, []string{"admin"}},
		"an object":                {"groups", "groups", `{"staff":true}`, nil},
		"a number":                 {"groups", "groups", `7`, nil},
		"null":                     {"groups", "groups", `null`, nil},
		"an empty list":            {"groups", "groups", `[]`, nil},
		"a path through a list":    {"groups.0", "groups", `["staff"]`, nil},
		"a path through two names": {"a.roles", "a", `{"roles":["staff"],"roles":["admins"]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(pc *ProviderConfig) {
				pc.RolesClaim = c.claim
				pc.Roles = []RoleMapping{{"staff", "editor"}, {"authors", "editor"}, {"admins", "admin"}, {"Domain Users", "user"}}
			})
			b.op.set(func() { b.op.claims[c.member] = c.value })
			got, err := b.signIn()
			if err != nil || !slices.Equal(got.Roles, c.want) {
				t.Errorf("got %v, %v, want %v", got.Roles, err, c.want)
			}
		})
	}
}

// UserInfo is asked only for a claim that the ID token lacks, and its address does not replace
// that of the ID token.
func TestRoles_OfUserInfo(t *testing.T) {
	t.Parallel()
	b := setup(t, func(pc *ProviderConfig) { pc.Roles = []RoleMapping{{"staff", "editor"}} })
	b.op.set(func() {
		b.op.profile = `{"sub":"subject-1","email":"thief@x.test","email_verified":true,"groups":["staff"]}`
	})
	got, err := b.signIn()
	if err != nil || !slices.Equal(got.Roles, []string{"editor"}) || got.Email != "ada@x.test" {
		t.Errorf("got %+v, %v", got, err)
	}
	b.op.set(func() { b.op.claims["groups"] = `[]` })
	if got, err := b.signIn(); err != nil || len(got.Roles) != 0 || b.op.hit("/userinfo") != 1 {
		t.Errorf("got %v, %v, and UserInfo was asked %d times", got.Roles, err, b.op.hit("/userinfo"))
	}
	b.op.set(func() {
		delete(b.op.claims, "groups")
		b.op.profile = `{"sub":"subject-2","groups":["staff"]}`
	})
	if got, err := b.signIn(); err == nil {
		t.Errorf("UserInfo of another user gives %v", got.Roles)
	}
}

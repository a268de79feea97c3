package security

import (
	"cmp"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
)

// adminOperations has a plausible body for each operation of the admin page, "" for a read.
func adminOperations() map[string]string {
	const person = "/auth/api/admin/people/{id}"
	return map[string]string{
		"GET /auth/api/admin/people":                  "",
		"GET " + person:                               "",
		"GET /auth/api/admin/jobs":                    "",
		"GET /auth/api/admin/jobs/{id}":               "",
		"POST /auth/api/admin/jobs":                   `{"action":"enable","people":["ID"]}`,
		"POST /auth/api/admin/jobs/{id}/stop":         `{}`,
		"POST " + person + "/disable":                 `{}`,
		"POST " + person + "/enable":                  `{}`,
		"POST " + person + "/end-sessions":            `{}`,
		"POST " + person + "/ends":                    `{"at":"2999-01-31"}`,
		"POST " + person + "/name":                    `{"name":"Mara"}`,
		"POST " + person + "/claims":                  `{"claims":"{\"quota\":5}"}`,
		"POST " + person + "/address":                 `{"email":"` + fresh("moved") + `"}`,
		"POST " + person + "/reset-factors":           `{}`,
		"POST " + person + "/lift-limits":             `{}`,
		"POST " + person + "/link":                    `{}`,
		"POST " + person + "/delete":                  `{"email":"EMAIL"}`,
		"POST " + person + "/restore":                 `{}`,
		"POST " + person + "/emails/{email}/again":    `{}`,
		"POST " + person + "/roles":                   `{"give":["editor"]}`,
		"GET /auth/api/admin/apps":                    "",
		"GET /auth/api/admin/apps/{id}/explain":       "",
		"POST /auth/api/admin/apps/{id}/delete":       `{}`,
		"GET /auth/api/admin/keys":                    "",
		"POST /auth/api/admin/keys":                   `{"name":"sync","scopes":["people:read"]}`,
		"POST /auth/api/admin/keys/{id}/rotate":       `{}`,
		"POST /auth/api/admin/keys/{id}/end-old":      `{}`,
		"POST /auth/api/admin/keys/{id}/end":          `{}`,
		"POST " + person + "/refuse":                  `{}`,
		"GET /auth/api/admin/invitations":             "",
		"POST /auth/api/admin/invitations":            `{"addresses":"` + fresh("invited") + `","roles":["editor"]}`,
		"POST /auth/api/admin/invitations/link":       `{"uses":"2","ends_at":"2026-06-30"}`,
		"POST /auth/api/admin/invitations/{id}/again": `{}`,
		"POST /auth/api/admin/invitations/{id}/end":   `{}`,
		"POST /auth/api/admin/imports":                `{}`,
		"POST /auth/api/admin/imports/{id}/file":      `{"email":"` + fresh("brought") + `"}`,
		"POST /auth/api/admin/imports/{id}/start":     `{}`,
		"GET /auth/api/admin/imports/{id}":            "",
		"GET /auth/api/admin/imports/{id}/rejected":   "",
		"GET /auth/api/admin/record":                  "",
		"GET /auth/api/admin/record.csv":              "",
		"GET /auth/api/admin/record.jsonl":            "",
		"GET /auth/api/admin/system":                  "",
		"GET /auth/api/admin/webhooks":                "",
		"GET /auth/api/admin/webhooks/{id}":           "",
		"POST /auth/api/admin/webhooks/{id}/test":     `{}`,
		"POST /auth/api/admin/webhooks/{id}/retry":    `{}`,
		"POST /auth/api/admin/system/mail/{id}/again": `{}`,
	}
}

// admin returns a signed-in admin with a second factor that was given just now.
func (s *site) admin() (*visitor, *phone) {
	s.Helper()
	v, p := s.protected()
	s.roles(v.whoami(), flow.RoleAdmin)
	v.proves(p)
	return v, p
}

// proves gives the second factor again, in the session of the visitor.
func (v *visitor) proves(p *phone) {
	v.Helper()
	v.clock.Advance(time.Minute) // each code works once
	v.post("mfa", object{"code": p.code()}).must(200)
}

// calls sends a request for an operation on a person.
func (v *visitor) calls(pattern, id string) *answer {
	v.Helper()
	method, target, _ := strings.Cut(pattern, " ")
	body, header := adminOperations()[pattern], v.ours("application/json")
	if body == "" {
		header.Del("Content-Type")
	}
	if strings.Contains(body, "EMAIL") {
		body = strings.ReplaceAll(body, "EMAIL", cmp.Or(v.addressOf(id), fresh("nobody")))
	}
	body = strings.ReplaceAll(body, "ID", id)
	return v.do(method, strings.NewReplacer("{id}", id, "{email}", flowID).Replace(target), body, header)
}

// allowed is the status of an operation for somebody who may use it. The path names no email, job, invitation, key or
// app that there is, and a person who does not wait for an approval.
func allowed(pattern string) int {
	if strings.HasSuffix(pattern, "/explain") { // it says that the person is missing
		return 400
	}
	for _, part := range []string{"/again", "jobs/{id}", "imports/{id}", "invitations/{id}", "keys/{id}", "apps/{id}", "webhooks/{id}"} {
		if strings.Contains(pattern, part) {
			return 404
		}
	}
	if strings.HasSuffix(pattern, "/refuse") {
		return 409
	}
	return 200
}

func TestSEC375_OnlyFreshAdmins(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	target := s.operator(fresh("t"), good).ID
	user := s.visitor().register(fresh("u"))
	bare := s.visitor().register(fresh("b"))
	s.roles(bare.whoami(), flow.RoleAdmin)
	strong, _ := s.protected()
	stale, _ := s.admin()
	s.clock.Advance(11 * time.Minute)
	admin, _ := s.admin()
	s.settle()
	for pattern := range adminOperations() {
		read := strings.HasPrefix(pattern, "GET ")
		s.unchanged(pattern, func() {
			s.visitor().calls(pattern, target).refused(401, "session.required")
			user.calls(pattern, target).refused(404, "route.missing")
			strong.calls(pattern, target).refused(404, "route.missing")
			bare.calls(pattern, target).refused(403, "admin.factor")
			if !read {
				stale.calls(pattern, target).refused(401, "proof.needed")
			}
		}, "throttle")
		if read && !strings.Contains(pattern, "jobs/{id}") && !strings.Contains(pattern, "imports/{id}") && !strings.Contains(pattern, "apps/{id}") && !strings.Contains(pattern, "webhooks/{id}") {
			stale.calls(pattern, target).must(200)
		}
		s.must(s.app.Operator.SetUserState(t.Context(), flow.ByOperator, target, account.Active))
		admin.calls(pattern, target).must(allowed(pattern))
		s.jobsEnd()
		if strings.Contains(pattern, "{") && allowed(pattern) != 400 { // a page that does not exist is not what was looked for
			if a := admin.calls(pattern, flowID); a.status != 404 || strings.Contains(a.body, "route.missing") || strings.Contains(a.body, "email address") {
				t.Errorf("%s of nobody gets status %d: %s", pattern, a.status, a.body)
			}
		}
	}
	if next := bare.get("/auth/admin/people").must(303).header.Get("Location"); !strings.HasPrefix(next, "/auth/account/factors?") {
		t.Errorf("an admin without a second factor is led to %s", next)
	}
	if page := admin.get("/auth/admin/people"); page.status != 200 || !strings.Contains(page.body, admin.whoami()) {
		t.Errorf("the admin page: %d %s", page.status, page.body)
	}
}

func TestSEC403_JobsDoNotKeepThePageOpen(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	for range 2 {
		s.clock.Advance(flow.AdminIdle - time.Minute)
		admin.get("/auth/api/admin/people").must(200)
	}
	s.clock.Advance(flow.AdminIdle - time.Minute)
	admin.get("/auth/api/admin/jobs").must(200)
	admin.get("/auth/api/admin/imports/" + flowID).must(404)
	s.clock.Advance(2 * time.Minute)
	for _, path := range []string{"jobs", "imports/" + flowID, "people"} {
		admin.get("/auth/api/admin/"+path).refused(401, "proof.needed")
	}
}

// The page names its admin in a header. Somebody else signs in in another tab, or in the window that a refused request opens.
func TestSEC511_PageChangesNothingAsAnotherAdmin(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	target := s.operator(fresh("t"), good).ID
	stale, _ := s.admin()
	s.clock.Advance(11 * time.Minute)
	admin, _ := s.admin()
	user := s.visitor().register(fresh("u"))
	for pattern := range adminOperations() {
		s.unchanged(pattern, func() {
			for _, v := range []*visitor{admin, stale, user} {
				v.header = http.Header{"Portico-Account": {flowID}}
				v.calls(pattern, target).refused(409, "account.changed")
			}
		})
	}
	admin.header.Set("Portico-Account", admin.id())
	admin.calls("POST /auth/api/admin/people/{id}/name", target).must(200)
}

func TestSEC378_PageIsHidden(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	hidden := func(why string) {
		t.Helper()
		for _, v := range []*visitor{admin, s.visitor()} {
			for _, target := range []string{"/auth/admin", "/auth/admin/people", "/auth/admin/people/" + flowID, "/auth/api/admin/people", "/auth/api/admin/nothing"} {
				for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
					if a := v.do(method, target, "", v.ours("application/json")); a.status != 404 {
						t.Errorf("%s: %s %s gets status %d", why, method, target, a.status)
					}
				}
			}
		}
	}
	admin.get("/auth/admin/people").must(200)
	s.follows(func(c *config.Config) { c.AdminNetworks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} })
	hidden("another network")
	s.follows(func(c *config.Config) { c.AdminNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	admin.get("/auth/admin/people").must(200)
	s.follows(func(c *config.Config) { c.AdminNetworks, c.Admin = nil, false })
	hidden("the page is off")
	if text := s.visitor().get("/auth/api/openapi.json").body; strings.Contains(text, "/auth/api/admin") {
		t.Error("the description has operations that are off")
	}
}

func TestSEC379_AdminStaysUnnamed(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	user := s.visitor().register(fresh("u"))
	admin.calls("POST /auth/api/admin/people/{id}/roles", user.id()).must(200)
	actors := s.strings(s.database(), `SELECT actor FROM audit WHERE name = 'roles_changed' AND account_id = '`+user.id()+`'`)
	if want := []string{"admin:" + admin.id()}; !slices.Equal(actors, want) {
		t.Errorf("the record names %q, want %q", actors, want)
	}
	for what, text := range map[string]string{
		"history": user.get("/auth/account/history").must(200).body,
		"data":    user.form("/auth/account/data", map[string][]string{"account": {user.id()}}).must(200).body,
	} {
		if strings.Contains(text, admin.id()) || strings.Contains(text, admin.peer) || strings.Contains(text, admin.whoami()) {
			t.Errorf("the %s names the admin:\n%s", what, text)
		}
	}
}

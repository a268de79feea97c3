package security

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/store"
)

// key makes a key of an admin and returns its id and its secret.
func (s *site) key(owner string, scopes ...string) (id, secret string) {
	s.Helper()
	k, secret, err := s.app.Operator.MakeAPIKey(s.Context(), flow.ByOperator, owner, apikey.Ask{Name: "sync", Scopes: scopes})
	s.must(err)
	return k.ID, secret
}

// keyed calls an operation on a person as a program does, without cookies and without an origin.
func (s *site) keyed(secret, pattern, id string) *answer {
	s.Helper()
	v := s.visitor()
	header := http.Header{"Authorization": {"Bearer " + secret}, "Origin": nil}
	method, target, _ := strings.Cut(pattern, " ")
	body := adminOperations()[pattern]
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	if strings.Contains(body, "EMAIL") {
		body = strings.ReplaceAll(body, "EMAIL", s.visitor().addressOf(id))
	}
	return v.do(method, strings.NewReplacer("{id}", id, "{email}", flowID).Replace(target), strings.ReplaceAll(body, "ID", id), header)
}

// scopeOf returns the scope that an operation should need, "" if no key may call it.
func scopeOf(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	subject, _, _ := strings.Cut(strings.TrimPrefix(path, "/auth/api/admin/"), "/")
	subject, _, _ = strings.Cut(subject, ".")
	switch {
	case subject == "keys", strings.HasSuffix(path, "/reset-factors"):
		return ""
	case subject == "imports":
		return "import"
	case subject == "jobs", strings.HasSuffix(path, "/explain"): // it has what is known of a person
		subject = "people"
	}
	if method == "GET" {
		return subject + ":read"
	}
	return subject + ":write"
}

func TestSEC382_KeysOpenTheirScopes(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	target := s.operator(fresh("t"), good).ID
	keys := map[string]string{}
	for _, scope := range apikey.Scopes() {
		_, keys[scope] = s.key(admin.id(), scope)
	}
	gone, ended := s.key(admin.id(), apikey.Scopes()...)
	s.must(s.app.Operator.EndAPIKey(t.Context(), flow.ByOperator, gone, false))
	twice, old := s.key(admin.id(), apikey.Scopes()...)
	_, young, err := s.app.Operator.RotateAPIKey(t.Context(), flow.ByOperator, admin.id(), twice, time.Time{})
	s.must(err)
	read := "GET /auth/api/admin/people"
	s.keyed(old, read, target).must(200)
	s.keyed(young, read, target).must(200)
	s.must(s.app.Operator.EndAPIKey(t.Context(), flow.ByOperator, twice, true))
	s.keyed(young, read, target).must(200)
	wrong := map[string]string{
		ended: "key.unknown", old: "key.unknown", "": "key.unknown", apikey.New(): "key.unknown", young[:len(young)-1]: "key.unknown", young + " " + young: "key.unknown",
	}
	if a := s.visitor().get("/auth/api/admin/people"); a.status != 401 || a.header.Get("WWW-Authenticate") != `Bearer realm="portico"` {
		t.Errorf("without a key: status %d, %q", a.status, a.header.Get("WWW-Authenticate"))
	}
	opened := 0
	for pattern := range adminOperations() {
		s.unchanged(pattern, func() {
			for secret, code := range wrong {
				a := s.keyed(secret, pattern, target)
				if a.refused(401, code); !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") {
					t.Errorf("%s: the refusal names no scheme", pattern)
				}
			}
			for scope, secret := range keys {
				switch want := scopeOf(pattern); want {
				case "":
					s.keyed(secret, pattern, target).refused(403, "key.never")
				case scope:
				default:
					s.keyed(secret, pattern, target).refused(403, "key.scope")
				}
			}
		})
		if scope := scopeOf(pattern); scope != "" {
			if a := s.keyed(keys[scope], pattern, target); a.status != allowed(pattern) {
				t.Errorf("%s with %s gets status %d: %s", pattern, scope, a.status, a.body)
			}
			opened++
			s.jobsEnd()
			s.must(s.app.Operator.SetUserState(t.Context(), flow.ByOperator, target, account.Active))
		}
	}
	if opened < 15 {
		t.Errorf("keys open %d operations", opened)
	}
	// The end comes by itself.
	s.clock.Advance(apikey.DefaultLife)
	s.keyed(keys["people:read"], read, target).refused(401, "key.ended")
}

// net/url leaves out a parameter that it cannot read: a list without its filter has everybody.
func TestSEC490_QueriesAreReadWhole(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	target := s.operator(fresh("t"), good).ID
	_, key := s.key(admin.id(), apikey.Scopes()...)
	for _, asked := range []string{
		"GET /auth/api/admin/people?by=address&q=a;b@example.com", "GET /auth/api/admin/people?by=address&q=100%@example.com", "GET /auth/api/admin/people?role=left&q=%zz",
		"GET /auth/api/admin/record?person=a;b", "GET /auth/api/admin/record.csv?person=%zz", "GET /auth/api/admin/jobs?state=running", "GET /auth/api/admin/people/{id}?fields=name",
		"POST /auth/api/admin/people/{id}/disable?try=true", "POST /auth/api/admin/people/{id}/disable?%zz",
	} {
		method, path, _ := strings.Cut(strings.ReplaceAll(asked, "{id}", target), " ")
		header := http.Header{"Authorization": {"Bearer " + key}, "Origin": nil, "Content-Type": {"application/json"}}
		if a := s.visitor().do(method, path, "{}", header); a.status != 400 {
			t.Errorf("%s is answered %d %.300s", asked, a.status, a.body)
		}
	}
	p, err := s.app.Operator.Person(t.Context(), target)
	if s.must(err); p.Account.State != account.Active {
		t.Errorf("a refused change has made the account %s", p.Account.State)
	}
}

func TestSEC383_KeysGainNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	other, _ := s.admin()
	user, others := s.visitor().register(fresh("u")).id(), other.id()
	id, secret := s.key(admin.id(), apikey.Scopes()...)
	header := http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}}
	call := func(method, target, body string) *answer {
		t.Helper()
		return s.visitor().do(method, target, body, header)
	}
	keys := "/auth/api/admin/keys"
	for target, body := range map[string]string{
		keys: `{"name":"more","scopes":["people:write"],"ends_at":"2027-01-01"}`, keys + "/" + id + "/rotate": `{"ends_at":"2027-01-01"}`,
		keys + "/" + id + "/end": `{}`, keys + "/" + id + "/end-old": `{}`, "/auth/api/admin/people/" + user + "/reset-factors": `{}`,
	} {
		call("POST", target, body).refused(403, "key.never")
	}
	// No change reaches the account of an admin, and none makes an admin.
	s.settle()
	for pattern := range adminOperations() {
		if !strings.Contains(pattern, "people/{id}/") || scopeOf(pattern) == "" {
			continue
		}
		for _, of := range []string{admin.id(), others} {
			s.unchanged(pattern, func() {
				s.keyed(secret, pattern, of).refused(403, "key.admin")
			}, "throttle", "api_key")
		}
	}
	s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.InsertMessage(t.Context(), outbox.Record{ID: "00000000000000000000000001", Template: "notice", AccountID: others, CreatedAt: s.clock.Now(), DeadAt: s.clock.Now()})
	}))
	call("POST", "/auth/api/admin/system/mail/00000000000000000000000001/again", `{}`).refused(403, "key.admin")
	call("POST", "/auth/api/admin/people/"+user+"/roles", `{"give":["portico:admin"]}`).refused(403, "key.admin")
	call("POST", "/auth/api/admin/jobs", `{"action":"give-role","role":"portico:admin","people":["`+user+`"]}`).refused(403, "key.admin")
	tried := call("POST", "/auth/api/admin/jobs", `{"action":"disable","people":["`+user+`","`+others+`"],"try":true}`).must(200)
	if !strings.Contains(tried.body, `"skips":1`) || !strings.Contains(tried.body, `"reason":"refused"`) {
		t.Errorf("a job of a key would skip %s", tried.body)
	}
	call("POST", "/auth/api/admin/jobs", `{"action":"disable","people":["`+user+`","`+others+`"]}`).must(200)
	s.jobsEnd()
	if a, _ := s.accountOf(others); a.State != "active" {
		t.Error("a job of a key has disabled an admin")
	}
	if a, _ := s.accountOf(user); a.State == "active" {
		t.Error("a job of a key has not disabled a user")
	}
	// A key signs nobody in, and opens nothing but the API.
	for _, target := range []string{"/auth/api/session", "/auth/api/sessions", "/auth/api/check", "/openid/userinfo"} {
		if a := call("GET", target, ""); a.status == 200 {
			t.Errorf("%s takes a key: %s", target, a.body)
		}
	}
	call("POST", "/auth/api/mfa", `{"code":"123456"}`).refused(403, "request.cross_origin")
	if a := call("GET", "/auth/admin/people", ""); a.status != 303 {
		t.Errorf("the page answers a key with %d", a.status)
	}
}

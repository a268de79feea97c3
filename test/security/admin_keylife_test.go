package security

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/job"
)

// A request with a key has begun. What changes before the transaction of its change counts.
func TestSEC386_KeyIsJudgedAgain(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	target := s.operator(fresh("t"), good)
	ctx, op := t.Context(), s.app.Operator
	for what, test := range map[string]struct {
		change func(id, owner string)
		want   error
	}{
		"nothing":            {func(_, _ string) {}, nil},
		"the key ended":      {func(id, _ string) { s.must(op.EndAPIKey(ctx, flow.ByOperator, id, false)) }, apikey.Unknown},
		"its end came":       {func(_, _ string) { s.clock.Advance(apikey.DefaultLife) }, apikey.Ended},
		"the role was taken": {func(_, owner string) { s.roles(s.addressOf(owner)) }, apikey.Unknown},
		"the owner is closed": {func(_, owner string) {
			s.must(op.SetUserState(ctx, flow.ByOperator, owner, account.DisabledByOperator))
		}, apikey.Unknown},
		"the owner's end came": {func(_, owner string) {
			s.must(op.SetUserEnd(ctx, flow.ByOperator, owner, s.clock.Now().Add(time.Hour)))
			s.clock.Advance(time.Hour)
		}, apikey.Stopped},
		"the owner is erased": {func(_, owner string) { s.must(op.DeleteUser(ctx, flow.ByOperator, owner)) }, apikey.Unknown},
		"the old secret ended": {func(id, owner string) {
			_, _, err := op.RotateAPIKey(ctx, flow.ByOperator, owner, id, time.Time{})
			s.must(err)
			s.must(op.EndAPIKey(ctx, flow.ByOperator, id, true))
		}, apikey.Unknown},
		"the owner raised the alarm": {func(_, owner string) {
			s.visitor().raises(s.alarms(s.addressOf(owner))[0]).must(200)
			if story, err := s.app.Operator.Why(t.Context(), s.addressOf(owner)); err != nil || !slices.ContainsFunc(story.Timeline, func(m flow.Moment) bool {
				return m.What == string(audit.APIKeyEnded) && strings.Contains(m.Detail, "This wasn't me")
			}) {
				t.Errorf("the story does not say what has ended the key: %+v, %v", story.Timeline, err)
			}
		}, apikey.Unknown},
	} {
		owner := s.visitor().register(fresh("o"))
		id := owner.id()
		s.roles(owner.whoami(), flow.RoleAdmin)
		s.setNameOf(owner)
		key, secret := s.key(id, "people:write", "record:read")
		by, err := op.ByKey(ctx, flow.Caller{}, secret)
		s.must(err)
		test.change(key, id)
		err = op.ChangeUserRoles(ctx, by, target.ID, []string{"given"}, nil)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: the change returns %v, want %v", what, err, test.want)
		}
		now, _ := s.accountOf(target.ID)
		if (test.want == nil) != (len(now.Roles) == 1) {
			t.Errorf("%s: the roles are %v", what, now.Roles)
		}
		s.roles(target.Address.Mail)
		if test.want != nil {
			s.keyed(secret, "GET /auth/api/admin/record", target.ID).must(401)
		}
	}
}

// setNameOf makes an email with an alarm for the user.
func (s *site) setNameOf(v *visitor) {
	s.Helper()
	v.post("account/profile", object{"account": v.id(), "name": "Mara"}).must(200)
	s.settle()
}

// A job that a key has begun ends with the key, and with the admin who answers for it.
func TestSEC386_JobStopsWithItsKey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.crowd("crowd")
	ctx, op := t.Context(), s.app.Operator
	for what, stop := range map[string]func(key, owner string){
		"end":  func(key, _ string) { s.must(op.EndAPIKey(ctx, flow.ByOperator, key, false)) },
		"role": func(_, owner string) { s.roles(s.addressOf(owner)) },
	} {
		admin, _ := s.admin()
		key, secret := s.key(admin.id(), "people:read", "people:write")
		by, err := op.ByKey(ctx, flow.Caller{}, secret)
		s.must(err)
		role := "by-" + what
		begun, err := op.BeginBulk(ctx, by, flow.Bulk{Kind: flow.BulkGiveRole, Role: role})
		s.must(err)
		stop(key, admin.id())
		s.jobsEnd()
		ended, err := op.Job(ctx, begun.ID)
		s.must(err)
		if ended.State != job.Failed || ended.Why != "key" || ended.By != "sync" {
			t.Errorf("%s: the job ends as %s, %q, by %q", what, ended.State, ended.Why, ended.By)
		}
	}
}

func TestSEC390_SecretOfAKeyIsShownOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	ask := func(target, body string) (id, secret string) {
		t.Helper()
		var made struct {
			Key    struct{ ID string }
			Secret string
		}
		header := admin.ours("application/json")
		header.Set("Idempotency-Key", "first")
		admin.do("POST", target, body, header).must(200).parse(&made)
		admin.do("POST", target, body, header).refused(409, "idempotency.lost")
		return made.Key.ID, made.Secret
	}
	id, first := ask("/auth/api/admin/keys", `{"name":"sync","scopes":["people:read","record:read","people:write"]}`)
	header := admin.ours("application/json")
	var rotated struct{ Secret string }
	admin.do("POST", "/auth/api/admin/keys/"+id+"/rotate", `{}`, header).must(200).parse(&rotated)
	if !apikey.Valid(first) || !apikey.Valid(rotated.Secret) || first == rotated.Secret {
		t.Fatalf("the secrets are %q and %q", first, rotated.Secret)
	}
	var told strings.Builder
	for _, secret := range []string{first, rotated.Secret} {
		for _, pattern := range []string{"GET /auth/api/admin/people", "GET /auth/api/admin/record", "GET /auth/api/admin/record.csv", "POST /auth/api/admin/people/{id}/name"} {
			told.WriteString(s.keyed(secret, pattern, s.operator(fresh("t"), good).ID).must(200).body)
		}
	}
	s.visitor().do("GET", "/auth/api/admin/people?key="+first, "", http.Header{"Authorization": {"Basic " + first}}).must(401)
	told.WriteString(admin.calls("GET /auth/api/admin/keys", "").must(200).body)
	told.WriteString(admin.get("/auth/api/admin/record?kind=api_key_made").must(200).body)
	s.settle()
	told.WriteString(s.log.String())
	for _, rows := range s.rows() {
		told.WriteString(strings.Join(rows, "\n"))
	}
	for _, m := range s.mail.all() {
		told.WriteString(m.raw)
	}
	for _, secret := range []string{first, rotated.Secret} {
		if strings.Contains(told.String(), secret[len(apikey.Prefix):len(secret)-6]) {
			t.Error("the secret is there a second time")
		}
	}
	facts := admin.record("actor=key:" + id).Facts
	if len(facts) == 0 || facts[0].Actor.Kind != "key" || facts[0].Actor.Name != "sync" {
		t.Errorf("the record names the key as %+v", facts)
	}
}

func TestSEC391_KeysKeepToTheirNetworkAndSite(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	target := s.operator(fresh("t"), good).ID
	_, secret := s.key(admin.id(), apikey.Scopes()...)
	for pattern := range adminOperations() {
		// A page of another site can have the browser send cookies, but no such header.
		method, path, _ := strings.Cut(pattern, " ")
		if method != "GET" {
			header := http.Header{"Origin": {"https://evil.test"}, "Content-Type": {"application/json"}}
			admin.do(method, strings.NewReplacer("{id}", target, "{email}", flowID).Replace(path), `{}`, header).refused(403, "request.cross_origin")
		}
		// The session of an admin does not help a request with a wrong key.
		for _, sent := range [][]string{{""}, {"Bearer"}, {"Bearer x"}, {"Basic x"}, {"Bearer " + secret, "Bearer " + secret}} {
			header := admin.ours("application/json")
			header["Authorization"] = sent
			admin.do(method, strings.NewReplacer("{id}", target, "{email}", flowID).Replace(path), `{}`, header).refused(401, "key.unknown")
		}
	}
	preflight := s.visitor().do("OPTIONS", "/auth/api/admin/people", "", http.Header{
		"Origin": {"https://evil.test"}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"authorization"},
	})
	if preflight.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page of another site may send a key")
	}
	for _, change := range []func(c *config.Config){
		func(c *config.Config) { c.AdminNetworks = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} },
		func(c *config.Config) { c.AdminNetworks, c.Admin = nil, false },
	} {
		s.follows(change)
		for pattern := range adminOperations() {
			s.keyed(secret, pattern, target).refused(404, "route.missing")
		}
		s.follows(func(c *config.Config) { c.AdminNetworks, c.Admin = nil, true })
	}
	s.keyed(secret, "GET /auth/api/admin/people", target).must(200)
}

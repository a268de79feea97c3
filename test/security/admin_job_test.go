package security

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/job"
)

// crowd makes people with a role, and returns their number.
func (s *site) crowd(role string) int {
	s.Helper()
	const people = 200
	for range people {
		if _, err := s.app.Operator.CreateUser(s.Context(), flow.ByOperator, fresh("c"), "", "", role); err != nil {
			s.Fatal(err)
		}
	}
	s.clock.Advance(time.Second)
	return people
}

// bulk begins a job and returns the answer.
func (v *visitor) bulk(body object) *answer {
	v.Helper()
	return v.do("POST", "/auth/api/admin/jobs", encode(body), v.ours("application/json"))
}

// jobsEnd waits until no job runs.
func (s *site) jobsEnd() {
	s.Helper()
	for range 600 {
		if busy, err := s.app.Operator.HasJobs(s.Context()); err != nil || !busy {
			s.must(err)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.Fatal("a job does not end")
}

func TestSEC384_JobStopsWithItsAdmin(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	total := int64(s.crowd("crowd"))
	ctx := t.Context()
	for n, c := range []struct {
		what, why string // several reasons if a step of the job can come in between
		change    func(v *visitor, id string)
	}{
		{"the admin signs out, and the proof ages", "", func(v *visitor, _ string) {
			v.post("signout", object{}).must(200)
			s.clock.Advance(11 * time.Minute)
		}},
		{"the role was taken", "role", func(v *visitor, _ string) { s.roles(v.whoami()) }},
		{"the account is closed", "account", func(_ *visitor, id string) {
			s.must(s.app.Operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator))
		}},
		{"it was closed and opened again", "changed|account", func(_ *visitor, id string) {
			s.must(s.app.Operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator))
			s.must(s.app.Operator.SetUserState(ctx, flow.ByOperator, id, account.Active))
		}},
		{"its sessions were ended", "changed", func(_ *visitor, id string) {
			_, err := s.app.Operator.EndUserSessions(ctx, flow.ByOperator, id)
			s.must(err)
		}},
		{"the factor is gone", "changed", func(_ *visitor, id string) {
			a, _ := s.accountOf(id)
			_, err := s.app.Operator.ResetFactors(ctx, flow.ByOperator, a.ID)
			s.must(err)
		}},
	} {
		admin, _ := s.admin()
		id := admin.id()
		role := fmt.Sprintf("given-%d", n)
		var begun struct{ ID string }
		if err := json.Unmarshal([]byte(admin.bulk(object{"action": "give-role", "role": role, "all": true, "filter": "role=crowd"}).must(200).body), &begun); err != nil {
			t.Fatal(err)
		}
		c.change(admin, id)
		s.jobsEnd()
		end, err := s.app.Operator.Job(ctx, begun.ID)
		s.must(err)
		page, err := s.app.Operator.People(ctx, account.Query{Role: role, Limit: account.MostPeople})
		s.must(err)
		want := job.Failed
		if c.why == "" {
			want = job.Done
		}
		if end.State != want || !slices.Contains(strings.Split(c.why, "|"), end.Why) || (end.Done == total) != (want == job.Done) || int64(len(page.People)) != end.Done {
			t.Errorf("%s: the job is %s (%q) after %d of %d people, and %d have the role", c.what, end.State, end.Why, end.Done, total, len(page.People))
		}
	}
}

func TestSEC385_OneJobEach(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.crowd("crowd")
	admin, _ := s.admin()
	var begun, refused atomic.Int64
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			a, err := admin.try("POST", "/auth/api/admin/jobs", encode(object{"action": "give-role", "role": "given", "all": true, "filter": "role=crowd"}), admin.ours("application/json"))
			switch {
			case err != nil:
			case a.status == 200:
				begun.Add(1)
			case a.status == 409:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if begun.Load() != 1 || refused.Load() != 9 {
		t.Errorf("of ten jobs at once %d have begun, and %d were refused", begun.Load(), refused.Load())
	}
	s.jobsEnd()
	s.unchanged("too many people", func() {
		for _, body := range []object{
			{"action": "disable", "people": slices.Repeat([]string{admin.id()}, flow.MostPicked+1)},
			{"action": "disable", "people": []string{}},
			{"action": "disable", "people": []string{admin.id()}, "all": true},
			{"action": "disable", "people": []string{"' OR 1=1"}},
			{"action": "disable", "all": true, "filter": "state=active&state=disabled"},
			{"action": "disable", "all": true, "filter": "stat=active"},
			{"action": "erase", "all": true},
		} {
			if a := admin.bulk(body); a.status != 400 && a.status != 422 {
				t.Errorf("%v gets status %d: %s", body, a.status, a.body)
			}
		}
	}, "throttle")
}

package security

import (
	"net/url"
	"strings"
	"sync"
	"testing"

	"portico/internal/flow"
)

// Admins leave on their own account pages, alone or both at the same moment. One remains.
func TestSEC389_TheLastAdminStays(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	leave := func(v *visitor) *answer {
		a, err := v.try("POST", "/auth/api/account/delete", encode(object{"account": v.id()}), v.ours("application/json"))
		if err != nil {
			s.Error(err)
		}
		return a
	}
	remove := func(v *visitor) *answer {
		id := v.shown("/auth/account/factors").List[0].ID
		a, err := v.try("POST", "/auth/api/factors/remove", encode(object{"account": v.id(), "id": id}), v.ours("application/json"))
		if err != nil {
			s.Error(err)
		}
		return a
	}
	ways := []func(*visitor) *answer{leave, remove}
	last, _ := s.admin()
	for _, way := range ways {
		way(last).refused(409, flow.CodeAdminLast)
	}
	page := last.form("/auth/account/delete", url.Values{"account": {last.id()}}).must(409)
	if !strings.Contains(page.body, "You are the last admin.") {
		t.Errorf("the page does not say why: %.2000s", page.body)
	}
	if last.whoami() == "" {
		t.Error("the refused admin is signed out")
	}
	s.roles(last.whoami())
	for n := range 6 {
		first, p := s.admin()
		second, _ := s.admin()
		first.proves(p)
		pair := []*visitor{first, second}
		var both sync.WaitGroup
		left := make([]bool, 2)
		for i, v := range pair {
			both.Go(func() { left[i] = ways[(i+n)%2](v).status == 200 })
		}
		both.Wait()
		if left[0] == left[1] {
			t.Errorf("round %d: they leave: %v", n, left)
		}
		for i, v := range pair {
			if !left[i] || i != n%2 { // who has only removed the factor still has the role
				s.roles(v.whoami())
			}
		}
	}
}

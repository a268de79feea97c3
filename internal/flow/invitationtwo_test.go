package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/budget"
	"portico/internal/flow"
	"portico/internal/invitation"
	"portico/internal/store/sqlitetest"
)

// unseen is a transaction that does not see the invitation of another admin, which commits before it ends.
type unseen struct{ flow.Tx }

func (unseen) InvitationOf(context.Context, string) (invitation.Invitation, bool, error) {
	return invitation.Invitation{}, false, nil
}

type unseenStore struct{ flow.Store }

func (s unseenStore) Write(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Write(ctx, func(tx flow.Tx) error { return fn(unseen{tx}) })
}

// Two admins invite an address at the same moment. Who comes second learns it.
func TestInvite_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *flow.Config) { c.Store = unseenStore{c.Store} })
	for i, want := range []flow.Verdict{flow.Invites, flow.IsInvited} {
		judged, err := b.Operator.Invite(t.Context(), flow.ByOperator, "mara@example.org", flow.Draft{})
		if err != nil || len(judged) != 1 || judged[0].Verdict != want {
			t.Errorf("invitation %d is judged %+v, want %s: %v", i, judged, want, err)
		}
	}
	b.invited()
	b.record(audit.InvitationSent)
}

// A list takes several transactions, because one of all its lines would exceed the time of a request. Each judges the admin, and
// what one of them stops can be sent again.
func TestInvite_InParts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	s := &spender{Store: d.store.Store, reads: true}
	d.store.Store = s
	request := context.WithValue(t.Context(), budget.Key{}, new(budget.Budget))
	list := func(name string) string {
		var lines strings.Builder
		for i := range 60 {
			fmt.Fprintf(&lines, "%s%d@example.org\n", name, i)
		}
		return lines.String()
	}
	verdicts := func(judged []flow.JudgedLine, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		counts := map[flow.Verdict]int{}
		for _, l := range judged {
			counts[l.Verdict]++
		}
		return fmt.Sprint(counts)
	}
	check := func(what, got, want string, left []time.Duration) {
		if got != want || len(left) != 3 || slices.Min(left) != time.Second {
			t.Errorf("%s: %s, want %s; left before each transaction: %v", what, got, want, left)
		}
	}
	by, operator := d.by(), flow.ByOperator
	check("tried", verdicts(d.Operator.TryInvite(request, by, list("guest"), flow.Draft{})), "map[ok:60]", s.leftToRead)
	d.store.left.Store(2)
	if judged, err := d.Operator.Invite(request, operator, list("guest"), flow.Draft{}); !errors.Is(err, errKilled) {
		t.Errorf("after an error of Portico: %v, %v", judged, err)
	}
	s.left = nil
	check("sent again", verdicts(d.Operator.Invite(request, operator, list("guest"), flow.Draft{})), "map[invited:25 ok:35]", s.left)
	d.store.left.Store(2)
	d.store.does = func() {
		if err := d.Operator.SetUserRoles(t.Context(), operator, by.AccountID(), []string{"staff"}); err != nil {
			t.Error(err)
		}
	}
	if got := verdicts(d.Operator.Invite(request, by, list("other"), flow.Draft{})); got != "map[ok:25 unsent:35]" {
		t.Errorf("of an admin who loses the role meanwhile: %s", got)
	}
	if judged, err := d.Operator.Invite(request, by, list("other"), flow.Draft{}); !errors.Is(err, flow.ErrNotAdmin) {
		t.Errorf("of one who has lost it: %v, %v", judged, err)
	}
}

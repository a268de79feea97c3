package flow_test

import (
	"context"
	"testing"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/invitation"
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

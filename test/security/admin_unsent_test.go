package security

import (
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/outbox"
)

// An admin has invited many addresses, whose mail server takes its time, and one that it has refused. Then the admin is none anymore.
func TestSEC448_InvitationsThatWait(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	invite := func(addresses ...string) {
		ada.do("POST", "/auth/api/admin/invitations", `{"addresses":"`+strings.Join(addresses, `\n`)+`","text":"the words of a thief"}`, ada.ours("application/json")).must(200)
	}
	crowd := []string{fresh("refused")}
	s.mail.refuse(true)
	invite(crowd[0])
	s.settle()
	s.mail.refuse(false)
	for range 20 {
		crowd = append(crowd, fresh("crowd"))
	}
	s.mail.hold(crowd)
	invite(crowd[1:]...)
	const begun = 4
	for range begun {
		<-s.mail.held
	}
	a, err := s.app.Operator.User(t.Context(), ada.whoami())
	s.must(err)
	s.must(s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, nil))
	s.clock.Advance(time.Second)
	_, err = s.app.Operator.MailAllAgain(t.Context(), flow.ByOperator)
	s.must(err)
	close(s.mail.free)
	s.settle()
	sent := 0
	for _, address := range crowd {
		sent += len(s.mail.to(address))
	}
	if sent != begun {
		t.Errorf("%d invitations of a former admin were sent, want the %d that had begun", sent, begun)
	}
	if n := s.count(`SELECT COUNT(*) FROM email_outcome WHERE template = 'invitation' AND state = $1`, string(outbox.Dropped)); n != len(crowd)-begun {
		t.Errorf("%d are said to be dropped, want %d", n, len(crowd)-begun)
	}
}

package security

import (
	"strings"
	"testing"

	"portico/internal/flow"
)

// A program invites 500 addresses, whose mail server takes its time. Codes, links and the answers to
// strangers are not behind them.
func TestSEC442_CrowdOfEmails(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	kim, nobody, mara := fresh("kim"), fresh("nobody"), fresh("mara")
	other := s.visitor()
	other.verify(other.signUp(kim, good), s.mail.code(kim)).must(200)
	_, secret := s.key(ada.id(), "invitations:write")
	by, err := s.app.Operator.ByKey(t.Context(), flow.Caller{}, secret)
	s.must(err)
	var crowd []string
	for range 500 {
		crowd = append(crowd, fresh("crowd"))
	}
	s.mail.hold(crowd)
	_, err = s.app.Operator.Invite(t.Context(), by, strings.Join(crowd, "\n"), flow.Draft{})
	s.must(err)
	for range 4 {
		<-s.mail.held
	}
	s.visitor().forgot(kim)
	s.mail.code(kim)
	s.visitor().forgot(nobody)
	s.mail.next(nobody)
	s.visitor().signUp(mara, good)
	s.mail.code(mara)
	ada.calls("POST /auth/api/admin/people/{id}/link", other.id()).must(200)
	s.mail.next(kim)
	close(s.mail.free)
	s.settle()
	for _, address := range crowd {
		if len(s.mail.to(address)) != 1 {
			t.Errorf("%s got %d emails", address, len(s.mail.to(address)))
		}
	}
}

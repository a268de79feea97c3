package security

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/flow"
	"portico/internal/invitation"
	"portico/internal/store"
	"portico/internal/throttle"
)

// isHeld checks that an answer says when the mailbox gets the next email.
func isHeld(t *testing.T, a *answer) {
	t.Helper()
	wait, _ := strconv.Atoi(a.header.Get("Retry-After"))
	if a.refused(429, "code.held"); wait < 3000 || wait > 3600 {
		t.Errorf("the next email in %d s, want one in an hour", wait)
	}
}

// A program with a stolen key has links, invitations and refused emails sent again and again. A mailbox gets
// five in an hour of all of them, whatever else it may do, and its owner can still recover the account.
func TestSEC443_FloodByAKey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	owner, kim := s.visitor(), fresh("kim")
	owner.verify(owner.signUp(kim, good), s.mail.code(kim)).must(200)
	id := owner.id()
	_, secret := s.key(ada.id(), "people:read", "people:write", "invitations:read", "invitations:write", "system:read", "system:write")
	link := func() *answer { return s.programOf(secret)("POST", "/auth/api/admin/people/"+id+"/link", `{}`) }

	for _, network := range []string{"127.0.0.1", "127.0.0.1", "127.0.0.1", "127.50.0.1", "127.50.0.1"} {
		s.visitorFrom(network).forgot(kim) // strangers use up what they may send, and keep nobody from helping the owner
	}
	for range 5 {
		link().must(200)
	}
	isHeld(t, link())
	s.programOf(secret)("POST", "/auth/api/admin/people/"+id+"/lift-limits", `{}`).must(200)
	isHeld(t, link())
	ada.calls("POST /auth/api/admin/people/{id}/link", id).refused(429, "code.held")
	s.settle()
	before := len(s.mail.to(kim))
	s.visitorFrom("127.60.0.1").forgot(kim)
	s.settle()
	if got := len(s.mail.to(kim)); got != before+1 {
		t.Errorf("the owner gets %d emails after the flood, want a code", got-before)
	}

	// A refused email is sent again.
	s.mail.refuse(true)
	mara := fresh("mara")
	invite := func(lines ...string) string {
		return s.programOf(secret)("POST", "/auth/api/admin/invitations", `{"addresses":"`+strings.Join(lines, `\n`)+`"}`).must(200).body
	}
	invite(mara)
	s.settle()
	var dead string
	s.must(s.app.Store.Read(t.Context(), func(tx *store.Tx) error {
		list, err := tx.DeadMessages(t.Context(), 1)
		if err == nil {
			dead = list[0].ID
		}
		return err
	}))
	for range 4 {
		s.programOf(secret)("POST", "/auth/api/admin/system/mail/"+dead+"/again", `{}`).must(200)
		s.settle()
	}
	isHeld(t, s.programOf(secret)("POST", "/auth/api/admin/system/mail/"+dead+"/again", `{}`))
	s.mail.refuse(false)
	s.programOf(secret)("POST", "/auth/api/admin/invitations/"+s.invitationOf(mara)+"/end", `{}`).must(200)
	if got := invite(mara); !strings.Contains(got, `"held"`) {
		t.Errorf("an invitation after five emails: %s", got)
	}

	// Several addresses lead to one mailbox.
	noor, _, _ := strings.Cut(fresh("noor"), "@")
	var many []string
	for n := range 8 {
		many = append(many, fmt.Sprintf("%s+%d@x.test", noor, n))
	}
	if got := invite(many...); strings.Count(got, `"ok"`) != 5 || strings.Count(got, `"held"`) != 3 {
		t.Errorf("eight addresses of one mailbox: %s", got)
	}
	isHeld(t, s.programOf(secret)("POST", "/auth/api/admin/invitations/"+s.invitationOf(many[0])+"/again", `{}`))
	s.settle()
	if got := len(s.mail.all()); s.mail.to(mara) != nil || got > 100 {
		t.Errorf("%d emails in all", got)
	}
	s.clock.Advance(time.Hour)
	link().must(200)
}

// invitationOf returns the id of the open invitation of an address.
func (s *site) invitationOf(address string) (id string) {
	s.Helper()
	page, err := s.app.Operator.Invitations(s.Context(), "", "", 50)
	s.must(err)
	for _, i := range page.Items {
		if i.Mail == address && i.State == invitation.Open {
			return i.ID
		}
	}
	s.Fatal("no invitation of ", address)
	return ""
}

// A program with a stolen key invites the world. It gets as far as ten full lists in an hour, of which none is sent
// in part, and keeps no other program and no operator from inviting.
func TestSEC444_InvitesTheWorld(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	list := func(count int) string {
		var all []string
		for range count {
			all = append(all, fresh("world"))
		}
		s.mail.hold(all)
		return strings.Join(all, "\n")
	}
	invites := func(by flow.Actor, list string) error {
		_, err := s.app.Operator.Invite(t.Context(), by, list, flow.Draft{})
		return err
	}
	program := func() flow.Actor {
		_, secret := s.key(ada.id(), "invitations:write")
		by, err := s.app.Operator.ByKey(t.Context(), flow.Caller{}, secret)
		s.must(err)
		return by
	}
	first, second := program(), program()
	full := make([]string, 10)
	for n := range full {
		full[n] = list(invitation.MostLines)
	}
	few := []string{list(1), list(1), list(1)}
	for n, lines := range full {
		if n == 9 {
			s.must(invites(first, few[0]))
			if err := invites(first, lines); !errors.Is(err, throttle.Limited(0)) || errors.Is(err, code.Held) {
				t.Errorf("the list that is too much: %v", err)
			}
			break
		}
		s.must(invites(first, lines))
	}
	judged, err := s.app.Operator.TryInvite(t.Context(), flow.ByOperator, full[9], flow.Draft{})
	s.must(err)
	for _, l := range judged {
		if l.Verdict != flow.Invites {
			t.Fatalf("%s: %s, although the whole list was refused", l.Address, l.Verdict)
		}
	}
	s.must(invites(second, few[1]))
	s.must(invites(flow.ByOperator, few[2]))
	s.clock.Advance(time.Hour)
	s.must(invites(first, full[9]))
	close(s.mail.free)
}

// Each change is told to the owner, so a change that is one too many is not made. An address that is given gets an email too.
func TestSEC494_FloodOfChanges(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	kim, victim := s.operator(fresh("kim"), good), fresh("victim")
	_, secret := s.key(ada.id(), "people:write")
	change := func(of, what, body string) *answer {
		return s.programOf(secret)("POST", "/auth/api/admin/people/"+of+"/"+what, body)
	}
	for n := range 50 {
		change(kim.ID, "name", fmt.Sprintf(`{"name":"Kim %d"}`, n)).must(200)
		change(kim.ID, "name", fmt.Sprintf(`{"name":"Kim %d"}`, n)).must(200) // which changes nothing
	}
	change(kim.ID, "name", `{"name":"Kim"}`).refused(429, "throttle.limited")
	change(kim.ID, "disable", `{}`).refused(429, "throttle.limited")
	if now := s.of(kim.Address.Mail); now.Name != "Kim 49" || now.State != account.Active {
		t.Errorf("the account is %+v", now)
	}
	last := 0
	for n := range 51 {
		last = change(s.operator(fresh("u"), "").ID, "address", fmt.Sprintf(`{"email":%q}`, strings.Replace(victim, "@", fmt.Sprintf("+%d@", n), 1))).status
	}
	if last != 429 {
		t.Errorf("the last address is given with %d", last)
	}
	ada.calls("POST /auth/api/admin/people/{id}/disable", kim.ID).must(200)
	s.settle()
	for _, box := range []string{kim.Address.Mail, strings.Replace(victim, "@", "+0@", 1)} {
		if len(s.mail.to(box)) == 0 {
			t.Errorf("%s gets no email", box)
		}
	}
}

// The owner is told of each key, so one too many is not made.
func TestSEC513_KeysWithoutEnd(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	post := func(path, body string) *answer { return ada.byHand("POST", "/auth/api/admin/keys"+path, body) }
	makes := func() *answer { return post("", `{"name":"sync","scopes":["people:read"]}`) }
	var made struct{ Key struct{ ID string } }
	makes().must(200).parse(&made)
	a, n := makes(), 0
	for ; a.status == 200 && n < 100; n++ {
		a = post("/"+made.Key.ID+"/rotate", `{}`)
	}
	a.refused(429, "throttle.limited")
	makes().refused(429, "throttle.limited")
	if n < 90 {
		t.Errorf("%d new secrets, then none", n)
	}
	post("/"+made.Key.ID+"/end", `{}`).must(200)
	s.key(ada.id(), "people:read") // by command
}

// Without a session nobody is told, but it is recorded and counted.
func TestSEC514_SignInsEndedUnseen(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	kim := s.operator(fresh("kim"), good)
	id, secret := s.key(ada.id(), "people:write")
	ends := func() *answer {
		return s.programOf(secret)("POST", "/auth/api/admin/people/"+kim.ID+"/end-sessions", `{}`)
	}
	for range 50 {
		ends().must(200)
	}
	ends().refused(429, "throttle.limited")
	page, err := s.app.Operator.Record(t.Context(), audit.Query{AccountID: kim.ID, Actor: audit.ByKey(id), Names: []audit.Name{audit.SessionEnded}, Limit: 100})
	s.must(err)
	if len(page.Facts) != 50 {
		t.Errorf("the record has %d of 50", len(page.Facts))
	}
	ada.calls("POST /auth/api/admin/people/{id}/end-sessions", kim.ID).must(200)
}

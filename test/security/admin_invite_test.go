package security

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/server/form"
)

func mode(m flow.SignUpMode) option { return func(c *config.Config) { c.SignUp.Mode = string(m) } }

// invited invites an address, and returns the token of the link in the email.
func (s *site) invited(address string, roles ...string) string {
	s.Helper()
	judged, err := s.app.Operator.Invite(s.Context(), flow.ByOperator, address, flow.Draft{Roles: roles})
	if err != nil || judged[0].Verdict != flow.Invites {
		s.Fatal(judged, err)
	}
	return s.mail.next(address).token(s.T)
}

// accept sends the form that the link of an invitation leads to.
func (v *visitor) accept(token, email string) *answer {
	return v.post("signup", object{"email": email, "password": good, "confirm_password": good, "link": form.LinkMark(token)})
}

// An invitation works once, for seven days, and for its address alone.
func TestSEC168_InvitationIsForOne(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, mode(flow.ModeInvited))
	mara, kim := fresh("mara"), fresh("kim")
	token, late := s.invited(mara), s.invited(kim)
	first, second, third := s.visitor(), s.visitor(), s.visitor()
	for _, v := range []*visitor{first, second} {
		v.open(token)
	}
	first.accept(token, fresh("other")).must(200)
	if first.whoami() != mara {
		t.Errorf("signed in as %q", first.whoami())
	}
	second.accept(token, fresh("other")).refused(403, "signup.uninvited")
	third.open(late)
	s.clock.Advance(7 * 24 * time.Hour)
	third.accept(late, kim).refused(403, "signup.uninvited")
}

// Scanners of emails open a link, and 20 browsers press its button at the same moment: one account.
func TestSEC370_InvitationMakesOneAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, mode(flow.ModeInvited))
	mara := fresh("mara")
	token := s.invited(mara, "editor")
	for range 3 {
		to := s.visitor().open(token).must(303).header.Get("Location")
		if u, err := url.Parse(to); err != nil || u.Path != "/auth/signup" {
			t.Fatalf("the link leads to %s", to)
		}
	}
	var waiting sync.WaitGroup
	made := make(chan *visitor, 20)
	for range cap(made) {
		v := s.visitor()
		v.open(token)
		waiting.Go(func() {
			if v.accept(token, fresh("other")).status == 200 {
				made <- v
			}
		})
	}
	waiting.Wait()
	if len(made) != 1 {
		t.Fatalf("%d browsers made an account", len(made))
	}
	if v := <-made; v.whoami() != mara {
		t.Errorf("signed in as %q", v.whoami())
	}
	page, err := s.app.Operator.People(t.Context(), account.Query{Role: "editor", Limit: 10})
	if err != nil || len(page.People) != 1 {
		t.Errorf("there are %d accounts, %v", len(page.People), err)
	}
}

// The token is in the email alone: no row has it. Without the link, nobody is the invited one.
func TestSEC371_InvitationIsASecret(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, mode(flow.ModeInvited))
	mara := fresh("mara")
	token := s.invited(mara)
	for table, rows := range s.rows() {
		if slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, token) }) {
			t.Errorf("the table %s has the token", table)
		}
	}
	thief := s.visitor()
	thief.accept(token, mara).refused(409, "link.changed") // a mark without the link
	thief.open(strings.Repeat("A", len(token)))
	thief.accept(strings.Repeat("A", len(token)), mara).refused(403, "signup.uninvited")
	s.visitor().signUp(mara, good)
	if s.visitor().signIn(mara, good).status == 200 {
		t.Error("an invited address needs no proof")
	}
}

// An invitation gives nothing after the admin who sent it has lost the role. The link says so
// before anything is typed.
func TestSEC372_InvitationOfAFormerAdmin(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	mara := fresh("mara")
	ada.do("POST", "/auth/api/admin/invitations", `{"addresses":"`+mara+`","roles":["portico:admin"]}`, ada.ours("application/json")).must(200)
	token := s.mail.next(mara).token(t)
	late := s.visitor()
	late.open(token).must(303)
	a, err := s.app.Operator.User(t.Context(), ada.whoami())
	if err == nil {
		err = s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	late.accept(token, mara).refused(403, "signup.invitation_over")
	if b := s.visitor().open(token).must(403).boot(); b.Errors.Code != "signup.invitation_over" || b.Link.Address != "" {
		t.Errorf("the link shows %+v", b)
	}
}

// What a thief has left behind with the account of an admin does not work again when the operator has taken the role away, or
// disabled the account, and its owner is an admin again.
func TestSEC436_PlantedByAFormerAdmin(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ctx, op := t.Context(), s.app.Operator
	for how, turn := range map[string]func(id string, admin bool) error{
		"role": func(id string, admin bool) error {
			if admin {
				return op.ChangeUserRoles(ctx, flow.ByOperator, id, []string{flow.RoleAdmin}, nil)
			}
			return op.ChangeUserRoles(ctx, flow.ByOperator, id, nil, []string{flow.RoleAdmin})
		},
		"state": func(id string, admin bool) error {
			if admin {
				return op.SetUserState(ctx, flow.ByOperator, id, account.Active)
			}
			return op.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator)
		},
	} {
		ada, _ := s.admin()
		planted, program := fresh("planted"), fresh("program")
		ada.do("POST", "/auth/api/admin/invitations", `{"addresses":"`+planted+`","roles":["portico:admin"]}`, ada.ours("application/json")).must(200)
		id := ada.id()
		_, secret := s.key(id, "people:read", "invitations:write")
		by, err := op.ByKey(ctx, flow.Caller{}, secret)
		s.must(err)
		_, err = op.Invite(ctx, by, program, flow.Draft{})
		s.must(err)
		tokens := map[string]string{planted: s.mail.next(planted).token(t), program: s.mail.next(program).token(t)}
		s.must(turn(id, false))
		s.must(turn(id, true))
		for address, token := range tokens {
			v := s.visitor()
			if shown := v.open(token); shown.status != 403 {
				t.Errorf("%s: the link opens %d", how, shown.status)
			}
			v.accept(token, address).refused(403, "signup.invitation_over")
		}
		s.keyed(secret, "GET /auth/api/admin/people", "").must(401)
	}
}

// A secret of a key that leaked, or that a thief of an admin's session made, ends. What the key has sent with it does not work on
// because the key has another secret.
func TestSEC445_PlantedWithASecretThatEnded(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ctx, op := t.Context(), s.app.Operator
	invites := func(secret string) (token, address string) {
		address = fresh("planted")
		by, err := op.ByKey(ctx, flow.Caller{}, secret)
		s.must(err)
		_, err = op.Invite(ctx, by, address, flow.Draft{})
		s.must(err)
		return s.mail.next(address).token(t), address
	}
	for how, end := range map[string]func(other, id string) error{
		"the old one": func(_, id string) error { return op.EndAPIKey(ctx, flow.ByOperator, id, true) },
		"that of a lost admin": func(other, _ string) error {
			return op.ChangeUserRoles(ctx, flow.ByOperator, other, nil, []string{flow.RoleAdmin})
		},
	} {
		mara, _ := s.admin()
		other, _ := s.admin()
		id, old := s.key(mara.id(), "invitations:write")
		_, young, err := op.RotateAPIKey(ctx, flow.ByOperator, other.id(), id, time.Time{})
		s.must(err)
		used, works := young, old
		if how == "the old one" {
			used, works = old, young
		}
		token, address := invites(used)
		s.must(end(other.id(), id))
		v := s.visitor()
		if shown := v.open(token); shown.status != 403 {
			t.Errorf("%s: the link opens %d", how, shown.status)
		}
		v.accept(token, address).refused(403, "signup.invitation_over")
		s.keyed(used, "GET /auth/api/admin/invitations", "").must(401)
		s.clock.Advance(time.Millisecond)
		invites(works)
	}
}

// A list of the longest addresses fits, as many as are allowed. Nothing else is read beyond the size of other forms.
func TestSEC446_BodiesAreBounded(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	const list, name = "/auth/api/admin/invitations", "/auth/api/admin/people/00000000000000000000000000/name"
	long := func(n int) (lines string) {
		for i := range n {
			lines += fmt.Sprintf("%064d@%s.example.org\\n", i, strings.Repeat(strings.Repeat("a", 58)+".", 2)+strings.Repeat("b", 59))
		}
		return `{"try":true,"addresses":"` + lines + `"}`
	}
	send := func(path, body string) *answer { return admin.do("POST", path, body, admin.ours("application/json")) }
	if a := send(list, long(500)).must(200); strings.Count(a.body, `"verdict":"ok"`) != 500 {
		t.Errorf("500 addresses are judged %.300s", a.body)
	}
	send(list, long(501)).must(422)
	send(list, `{"try":true,"addresses":"`+strings.Repeat(" ", 256<<10)+`"}`).refused(413, "request.too_large")
	send(name, `{"name":"`+strings.Repeat(" ", 16<<10)+`"}`).refused(413, "request.too_large")
}

// Where accounts are by invitation, an address that has one, one that is invited and one that is
// neither get the same answers.
func TestSEC373_InvitationTellsNobody(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, m := range []flow.SignUpMode{flow.ModeInvited, flow.ModeApproved} {
		s := start(t, mode(m))
		has, invited, waits := fresh("has"), fresh("invited"), fresh("waits")
		s.operator(has, good)
		s.invited(invited)
		if m == flow.ModeApproved {
			v := s.visitor()
			v.verify(v.signUp(waits, good), s.mail.code(waits)).must(200)
		}
		answers := map[string]*answer{}
		for _, address := range []string{has, invited, waits, fresh("nobody")} {
			answers[address] = s.visitor().post("signup", object{"email": address, "password": good, "confirm_password": good})
		}
		alike(t, answers)
	}
}

// An expired link mails another one to the invited address alone, and not without end.
func TestSEC374_ExpiredInvitationMailsItsAddress(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	token := s.invited(mara)
	s.clock.Advance(8 * 24 * time.Hour)
	v := s.visitor()
	if b := v.open(token).boot(); b.Link.State != "expired" || strings.Contains(b.Link.Address, mara) {
		t.Fatalf("the link shows %+v", b.Link)
	}
	sent := 0
	for range 20 {
		if v.form("/auth/confirm-link/resend", nil).status == 303 {
			sent++
			s.mail.next(mara) // a press before this one is sent would drop it
		}
	}
	if all := len(s.mail.all()); sent == 0 || sent > 5 || all != sent+1 {
		t.Errorf("%d presses mailed, and %d emails came", sent, all)
	}
	if b := v.open(token).boot(); b.Link.State != "replaced" {
		t.Errorf("the former link shows %+v", b.Link)
	}
}

// A provider makes an account of an invitation, or one that waits. What both give is kept apart: the
// provider takes only its own roles back.
func TestSEC370_InvitationThroughAProvider(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newIDP(t)
	s := start(t, p.at("acme", true), gives(staffAndAdmins()))
	p.site = s
	admin, _ := s.admin()
	_, secret := s.key(admin.id(), apikey.Scopes()...)
	s.follows(mode(flow.ModeApproved))
	mara, kim, noah := fresh("mara"), fresh("kim"), fresh("noah")
	waits := func(address string, groups ...string) {
		t.Helper()
		p.who(address, groups...)
		v, again := s.visitor(), s.visitor()
		to := v.through(p)
		if page := v.get(to).must(200); v.whoami() != "" || !strings.Contains(page.body, "waiting for the approval") {
			t.Errorf("%s goes to %s and sees %s", address, to, page.body)
		}
		if to := again.through(p); again.whoami() != "" || !strings.Contains(to, "account.waits") {
			t.Errorf("once more, %s goes to %s", address, to)
		}
		if a := s.of(address); a.State != account.Waiting {
			t.Errorf("%s is %s", address, a.State)
		}
	}
	waits(mara, "staff")
	s.has("while it waits", mara, "staff")
	s.keyed(secret, "POST /auth/api/admin/people/{id}/enable", s.of(mara).ID).must(200)
	v := s.visitor()
	if v.through(p.who(mara)); v.whoami() != mara {
		t.Error("nobody is signed in after the approval")
	}
	s.has("after a sign-in without the group", mara)
	// No key approves somebody whom the provider makes an admin.
	waits(noah, "admins")
	s.keyed(secret, "POST /auth/api/admin/people/{id}/enable", s.of(noah).ID).refused(403, "key.admin")
	s.keyed(secret, "POST /auth/api/admin/people/{id}/refuse", s.of(noah).ID).refused(403, "key.admin")

	token := s.invited(kim, "staff", "editor")
	v = s.visitor()
	v.open(token).must(303)
	link := url.Values{"link": {form.LinkMark(token)}}
	enter := func(v *visitor, link url.Values, groups ...string) {
		t.Helper()
		p.who(fresh("other"), groups...)
		p.claims["sub"] = "kim"
		v.callback(p.id, p.approve(v.leave(p.id, link))).must(303)
		if v.whoami() != kim {
			t.Errorf("signed in as %q", v.whoami())
		}
	}
	enter(v, link, "staff", "admins")
	s.has("by the invitation and the provider", kim, "editor", flow.RoleAdmin, "staff")
	v.get("/auth/api/admin/people").refused(403, "admin.factor")
	enter(s.visitor(), nil)
	s.has("without the groups", kim, "editor", "staff")
	late := s.visitor()
	late.open(token)
	p.who(fresh("late"))
	if to := late.callback(p.id, p.approve(late.leave(p.id, link))).must(303).header.Get("Location"); !strings.Contains(to, "signup.invitation_over") || late.whoami() != "" {
		t.Errorf("a used invitation leads to %s", to)
	}
}

package security

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
)

// handed returns the token of a link that the operator makes for an account, and the end
// of its validity.
func (s *site) handed(address string) (token string, until time.Time) {
	s.Helper()
	a, err := s.app.Operator.User(s.Context(), address)
	if err != nil {
		s.Fatal(err)
	}
	link, until, err := s.app.Operator.AccountLink(s.Context(), flow.ByOperator, a)
	if err != nil {
		s.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil || u.Host != "portico.test" {
		s.Fatalf("the link is %s (%v)", link, err)
	}
	return u.Query().Get("token"), until
}

// The link that an operator prints is as strong as one in an email: it works once,
// for 15 minutes, not after the next one was made, and not after another one has changed the
// password.
func TestSEC209_OperatorsLinkWorksOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	s.operator(mara, good)
	token := func() string {
		t.Helper()
		token, until := s.handed(mara)
		if life := until.Sub(s.clock.Now()); life != 15*time.Minute {
			t.Errorf("the link holds for %v", life)
		}
		return token
	}

	former, first := token(), token()
	owner, stranger := s.visitor(), s.visitor()
	if b := stranger.open(former).boot(); b.Link.State == "ready" {
		t.Error("the former link works beside the new one")
	}
	if b := owner.open(first).must(200).boot(); b.Link.State != "ready" {
		t.Fatalf("the page of the link is %+v", b)
	}
	next := owner.form("/auth/confirm-link", nil).must(303).header.Get("Location")
	to, err := url.Parse(next)
	if err != nil || to.Path != "/auth/signup-passkey" {
		t.Fatalf("the link leads to %s", next)
	}
	if b := stranger.open(first).boot(); b.Link.State == "ready" {
		t.Error("the link works twice")
	}
	second := token()
	stranger.reset(to.Query().Get("flow"), other).refused(404, "flow.unknown")
	owner.reset(to.Query().Get("flow"), other).must(200)
	if owner.whoami() != mara {
		t.Errorf("signed in as %q", owner.whoami())
	}
	stranger.open(second)
	stranger.post("confirm-link", object{}).refused(404, "flow.unknown") // from before the change of the password
	s.visitor().signIn(mara, good).refused(401, "signin.rejected")
	s.visitor().signIn(mara, other).must(200)

	late := token()
	s.clock.Advance(15*time.Minute + time.Second)
	if b := stranger.open(late).boot(); b.Link.State == "ready" {
		t.Error("the link works after 15 minutes")
	}
}

// A link of an operator to an account with a second factor gives nothing but the choice
// of a password: no session, no passkey, and no way around the factor.
func TestSEC332_OperatorsLinkGivesOnlyANewPassword(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner := s.visitor()
	mara := fresh("mara")
	owner.register(mara)
	owner.enrol()
	s.settle()
	before := len(s.mail.to(mara))
	token, _ := s.handed(mara)
	s.settle()
	mails := s.mail.to(mara)
	if len(mails) != before+1 {
		t.Fatalf("%d emails about the link", len(mails)-before)
	}
	if text, html := mails[before].bodies(t); strings.Contains(text+html, token) {
		t.Error("the email about the link has it")
	}
	thief := s.visitor()
	thief.open(token).must(200)
	to, err := url.Parse(thief.form("/auth/confirm-link", nil).must(303).header.Get("Location"))
	if err != nil || to.Path != "/auth/reset-password" {
		t.Fatalf("the link leads to %s (%v)", to, err)
	}
	thief.post("signup/passkey/begin", object{"flow": to.Query().Get("flow")}).refused(404, "flow.unknown")
	nothing := func() {
		t.Helper()
		if thief.cookie("session") != "" {
			t.Error("the link gives a session")
		}
		for _, page := range []string{"/auth/account", "/auth/account/password", "/auth/account/factors", "/auth/account/passkeys"} {
			if next := thief.get(page).must(303).header.Get("Location"); !strings.HasPrefix(next, "/auth/signin") {
				t.Errorf("%s leads to %s", page, next)
			}
		}
		thief.get("/auth/api/session").must(401)
	}
	nothing()
	next := thief.reset(to.Query().Get("flow"), other).must(200).next()
	if !strings.HasPrefix(next, "/auth/mfa") {
		t.Errorf("after the password comes %s, want the second factor", next)
	}
	nothing()
}

// With a link of an operator the owner makes a passkey in place of a password, once. It
// ends the password, the sessions and the other links. It is no way around a second
// factor that the account has by then, and a recovery gives no passkey.
func TestSEC217_OperatorsLinkMakesOnePasskey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	before := s.visitor().register(mara)
	pressed := func(v *visitor) (flow string) {
		t.Helper()
		token, _ := s.handed(mara)
		v.open(token).must(200)
		_, flow, ok := strings.Cut(v.post("confirm-link", object{}).must(200).next(), "/auth/signup-passkey?flow=")
		if !ok {
			t.Fatal("the link does not lead to a passkey")
		}
		return flow
	}
	owner, other, thief := s.visitor(), s.visitor(), s.visitor()
	first, second := pressed(owner), pressed(other)
	thief.post("signup/passkey/begin", object{"flow": first}).refused(404, "flow.unknown")
	recovery := thief.forgot(mara)
	thief.verify(recovery, lastEmail(s, s.mail, mara).code(t)).must(200)
	thief.post("signup/passkey/begin", object{"flow": recovery}).refused(404, "flow.unknown")

	a, answer := owner.created("signup/passkey/begin", object{"flow": first})
	made := answer()
	other.post("signup/passkey", creation(object{"flow": second}, made)).refused(401, "passkey.refused")
	owner.post("signup/passkey", creation(object{"flow": first}, made)).must(200)
	if owner.whoami() != mara || before.whoami() != "" {
		t.Errorf("signed in: the owner as %q, the session of before as %q", owner.whoami(), before.whoami())
	}
	s.visitor().signIn(mara, good).refused(401, "signin.rejected")
	other.post("signup/passkey/begin", object{"flow": second}).refused(404, "flow.unknown")
	elsewhere := s.visitor()
	elsewhere.enter(a.Use(elsewhere.ask())).must(200)

	// A factor that is added while a page of the link is open.
	mara = fresh("kim")
	kim := s.visitor().register(mara)
	late := pressed(other)
	_, answer = other.created("signup/passkey/begin", object{"flow": late})
	kim.enrol()
	other.post("signup/passkey/begin", object{"flow": late}).refused(404, "flow.unknown")
	other.post("signup/passkey", creation(object{"flow": late}, answer())).refused(404, "flow.unknown")
}

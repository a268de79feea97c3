package security

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// The link that an operator prints is as strong as one in an email: it works once,
// for 15 minutes, and not after another one has changed the password.
func TestSEC209_OperatorsLinkWorksOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	s.operator(mara, good)
	token := func() string {
		t.Helper()
		a, err := s.app.Flows.User(t.Context(), mara)
		if err != nil {
			t.Fatal(err)
		}
		link, until, err := s.app.Flows.PasswordLink(t.Context(), a)
		u, parseErr := url.Parse(link)
		if err != nil || parseErr != nil || u.Host != "portico.test" || until.Sub(s.clock.Now()) != 15*time.Minute {
			t.Fatalf("%s until %v (%v)", link, until, err)
		}
		return u.Query().Get("token")
	}

	first, second := token(), token()
	owner, stranger := s.visitor(), s.visitor()
	if b := owner.open(first).must(200).boot(); b.Link.State != "ready" {
		t.Fatalf("the page of the link is %+v", b)
	}
	next := owner.form("/auth/confirm-link", nil).must(303).header.Get("Location")
	to, err := url.Parse(next)
	if err != nil || to.Path != "/auth/reset-password" {
		t.Fatalf("the link leads to %s", next)
	}
	if b := stranger.open(first).boot(); b.Link.State == "ready" {
		t.Error("the link works twice")
	}
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

// A link of an operator gives nothing but the choice of a password: no session, and
// no way around the second factor.
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
	a, err := s.app.Flows.User(t.Context(), mara)
	if err != nil {
		t.Fatal(err)
	}
	link, _, err := s.app.Flows.PasswordLink(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	s.settle()
	mails := s.mail.to(mara)
	if len(mails) != before+1 {
		t.Fatalf("%d emails about the link", len(mails)-before)
	}
	if text, html := mails[before].bodies(t); strings.Contains(text+html, u.Query().Get("token")) {
		t.Error("the email about the link has it")
	}
	thief := s.visitor()
	thief.open(u.Query().Get("token")).must(200)
	to, err := url.Parse(thief.form("/auth/confirm-link", nil).must(303).header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
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

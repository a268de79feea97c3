package security

import (
	"net/url"
	"testing"
	"time"
)

// The link that an operator prints is as strong as one in an email: it works once,
// for ten minutes, and not after another one has changed the password.
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
		if err != nil || parseErr != nil || u.Host != "portico.test" || until.Sub(s.clock.Now()) > 10*time.Minute {
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
	s.clock.Advance(10*time.Minute + time.Second)
	if b := stranger.open(late).boot(); b.Link.State == "ready" {
		t.Error("the link works after ten minutes")
	}
}

package security

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// data sends the form of the page that hands out a user's data.
func (v *visitor) data(account string) *answer {
	v.Helper()
	return v.form("/auth/account/data", url.Values{"account": {account}})
}

func TestSEC300_AStolenSessionGetsNoDataLater(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	s.operator(mara, good)
	v := s.visitor()
	v.signIn(mara, good).must(200)
	id := v.id()
	s.clock.Advance(10 * time.Minute)
	if a := s.with(v.cookie("session")).data(id); a.status != 401 || strings.Contains(a.body, `"tables"`) {
		t.Errorf("an old session gets %d %s", a.status, a.body)
	}
	if a := s.visitor().data(id); a.status != 303 || strings.Contains(a.body, `"tables"`) {
		t.Errorf("no session gets %d %s", a.status, a.body)
	}
}

func TestSEC301_TheDataHasNoSecret(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	s.operator(mara, good)
	v := s.visitor()
	v.signIn(mara, good).must(200)
	_ = v.forgot(mara)
	code := lastCode(s, s.mail, mara)
	a := v.data(v.id())
	a.must(200)
	for what, secret := range map[string]string{
		"the session token": v.cookie("session"), "the mailed code": `"` + code + `"`, "the hash of the password": "argon2", "the browser cookie": v.cookie("browser"),
	} {
		if secret == "" || strings.Contains(a.body, secret) {
			t.Errorf("the file has %s (%q)", what, secret)
		}
	}
	if a := v.data("other"); a.status != 303 {
		t.Errorf("a form of another account gets %d", a.status)
	}
}

package security

import (
	"strings"
	"testing"
	"time"

	"portico/internal/passkey/passkeytest"
)

// loot is what a thief has after a complete takeover.
type loot struct {
	*visitor
	address string
	spare   string // for recovery and notices
	trusted *visitor
	acme    *idp // which knows the thief
	app     *phone
	key     *passkeytest.Authenticator
	tokens  rpAnswer
}

// robs takes an account over with its password, by HTTP alone: another password,
// other addresses, an identity at the provider, a second factor, a passkey, a trusted
// browser and the tokens of an app.
func (s *site) robs(address string, acme *idp) loot {
	s.Helper()
	l := loot{visitor: s.visitor(), address: fresh("thief"), spare: fresh("mine"), trusted: s.visitor(), acme: acme}
	l.signIn(address, good).must(200)
	s.settle()                   // its email is the first
	s.clock.Advance(time.Second) // later emails have later times
	l.post("account/password", object{"account": l.id(), "password": other, "confirm_password": other}).must(200)
	l.moves(l.address)
	l.recovers(l.spare)
	acme.says(object{"email": l.address})
	if a := l.callback("acme", acme.approve(l.connects())).must(303); s.identities() != 1 {
		s.Fatalf("the identity of the thief is not connected: %s", a.header.Get("Location"))
	}
	key, challenge := l.offered()
	l.add(key.Create(challenge)).must(200)
	l.key = key
	l.app = l.enrol()
	flow := l.trusted.signIn(l.address, other).flow()
	l.trusted.post("mfa", object{"flow": flow, "code": l.app.code(), "trust": "yes"}).must(200)
	if l.trusted.whoami() != l.address {
		s.Fatal("the browser of the thief is not trusted")
	}
	l.tokens = l.rpTokens("scope", "openid offline_access")
	return l
}

// nothing reports everything that the thief still can do.
func (l loot) nothing(owner string) {
	l.Helper()
	if l.whoami() != "" || l.trusted.whoami() != "" {
		l.Error("the thief has a session")
	}
	for _, address := range []string{l.address, l.spare, owner} {
		for _, password := range []string{good, other} {
			l.visitor.site.visitor().signIn(address, password).refused(401, "signin.rejected")
		}
	}
	v := l.site.visitor()
	v.enter(l.key.Use(v.ask())).refused(401, "passkey.unknown")
	if v.continueWith(l.acme); v.whoami() != "" {
		l.Error("the provider signs the thief in")
	}
	if l.works(l.tokens.Access) {
		l.Error("the access token works")
	}
	l.refused("the refresh token", l.rp("token", refreshForm(l.tokens.Refresh)), "invalid_grant")
	l.settle()
	for _, theirs := range []string{l.address, l.spare} {
		before := len(l.mail.to(theirs))
		for _, email := range l.mail.to(theirs) {
			text, _ := email.bodies(l.T)
			if m := alarmIn.FindStringSubmatch(text); m != nil {
				mark := v.opensAlarm(m[1])
				v.post("not-me", object{"link": mark}).refused(410, "alarm.over")
			}
		}
		v.forgot(theirs)
		l.settle()
		for _, email := range l.mail.to(theirs)[before:] {
			if email.code(l.T) != "" {
				l.Errorf("%s recovers the account", theirs)
			}
		}
	}
}

func TestSEC283_TheOwnerRegainsAStolenAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, more := range map[string]func(l loot){
		"taken over": func(loot) {},
		"closed":     func(l loot) { l.post("account/delete", object{"account": l.id()}).must(200) },
		"taken back by the thief": func(l loot) {
			l.site.visitor().raises(l.alarm(l.address)).must(200)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, acme := startWithIDP(t, false)
			address := fresh("owner")
			owner := s.visitor().register(address)
			id := owner.id()
			l := s.robs(address, acme)
			s.clock.Advance(time.Second)
			more(l)
			if owner.whoami() != "" {
				t.Fatal("the thief has not taken the account over")
			}
			owner.signIn(address, good).refused(401, "signin.rejected")

			// The first security email is about the thief's sign-in.
			flow := owner.raises(s.alarm(address)).must(200).flow()
			l.nothing(address)
			owner.verify(flow, s.mail.code(address)).must(200)
			owner.reset(flow, third).must(200)
			if owner.whoami() != address || owner.id() != id {
				t.Errorf("the owner is %q", owner.whoami())
			}
			owner.signIn(address, third).must(200) // without a second factor
			if list := owner.shown("/auth/account/factors").List; len(list) != 0 {
				t.Errorf("%d second factors are left", len(list))
			}
			if page := owner.get("/auth/account/apps").must(200).body; !strings.Contains(page, `"apps":[]`) {
				t.Errorf("an app of the thief is left: %s", page)
			}
			owner.post("account/addresses", object{"account": id, "email": fresh("next")}).refused(403, "alarm.raised")
			owner.post("account/passkeys/begin", object{"account": id}).refused(403, "alarm.raised")
			owner.post("factors/add", object{"account": id}).refused(403, "alarm.raised")
			l.nothing(address)
		})
	}
}

// third is a password that no thief knows.
const third = "a third amber orchard"

// raises presses the button of the link.
func (v *visitor) raises(token string) *answer {
	v.Helper()
	return v.post("not-me", object{"link": v.opensAlarm(token)})
}

package security

import (
	"fmt"
	"slices"
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
	for _, theirs := range []string{l.address, l.spare} {
		l.site.powerless(theirs)
	}
}

// alarms returns the links of all emails that ever came to an address, the newest first.
func (s *site) alarms(address string) (links []string) {
	s.Helper()
	s.settle()
	for _, email := range slices.Backward(s.mail.to(address)) {
		text, _ := email.bodies(s.T)
		if m := alarmIn.FindStringSubmatch(text); m != nil {
			links = append(links, m[1])
		}
	}
	return links
}

// powerless presses each link that an address ever got, and asks for a code there. It
// reports whatever works.
func (s *site) powerless(address string) {
	s.Helper()
	for _, link := range s.alarms(address) {
		s.visitor().raises(link).refused(410, "alarm.over")
	}
	before := len(s.mail.to(address))
	s.visitor().forgot(address)
	s.settle()
	for _, email := range s.mail.to(address)[before:] {
		if email.code(s.T) != "" {
			s.Errorf("%s recovers the account", address)
		}
	}
}

func TestSEC283_TheOwnerRegainsAStolenAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, more := range map[string]func(l loot){
		"taken over": func(loot) {},
		"closed":     func(l loot) { l.post("account/delete", object{"account": l.id()}).must(200) },
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
			if links := append(s.alarms(l.address), s.alarms(l.spare)...); len(links) > 0 {
				t.Errorf("the thief gets %d links", len(links))
			}
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

// theft is an account that a thief and its owner change in turn, on its pages. Both know
// the password.
type theft struct {
	*site
	address, thiefs string
	password        string
}

// enters signs somebody in by the primary address, after some hours.
func (f *theft) enters(v *visitor, primary string, hours time.Duration) {
	f.Helper()
	f.clock.Advance(hours * time.Hour)
	v.signIn(primary, f.password).must(200)
}

// proves makes an address the primary one, or adds it for a recovery.
func (f *theft) proves(v *visitor, address, use string) {
	f.Helper()
	flow := v.post("account/addresses", object{"account": v.id(), "email": address, "use": use}).flow()
	v.verify(flow, lastCode(f.site, f.mail, address)).must(200)
}

// chooses gives the account another password.
func (f *theft) chooses(v *visitor) {
	f.Helper()
	f.password += " anew"
	v.post("account/password", object{"account": v.id(), "password": f.password, "confirm_password": f.password}).must(200)
}

// isTheOwners reports what the thief can still do, and whether the owner is disturbed.
func (f *theft) isTheOwners(owner *visitor) {
	f.Helper()
	f.powerless(f.thiefs)
	if owner.whoami() != f.address {
		f.Errorf("the owner is %q", owner.whoami())
	}
	f.visitor().signIn(f.address, f.password).must(200)
}

func TestSEC348_NoLinkUndoesARepairOfTheOwner(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, tc := range map[string]struct {
		hours time.Duration // from the theft to the repair
		early bool          // the thief presses before the owner repairs
	}{
		"the owner first": {1, false}, "the thief first": {1, true}, "in hour 71": {71, false}, "in hour 71, the thief first": {71, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			f := &theft{s, fresh("owner"), fresh("thief"), good}
			owner, thief := s.visitor().register(f.address), s.visitor()
			for range 2 {
				f.enters(thief, f.address, 1)
				f.proves(thief, f.thiefs, "")
				f.enters(owner, f.thiefs, tc.hours)
				if links := f.alarms(f.thiefs); tc.early && len(links) > 0 {
					thief.raises(links[0]).refused(410, "alarm.over")
				}
				f.proves(owner, f.address, "")
				f.chooses(owner)
				f.isTheOwners(owner)
				f.enters(owner, f.address, 2)
				f.isTheOwners(owner)
			}
			// The owner has not lost the age of the address.
			f.enters(s.visitor(), f.address, 1)
			owner.raises(s.alarms(f.address)[0]).must(200)
		})
	}
	t.Run("in hour 73, of an address for recovery", func(t *testing.T) {
		t.Parallel()
		s := start(t)
		f := &theft{s, fresh("owner"), fresh("thief"), good}
		owner, thief := s.visitor().register(f.address), s.visitor()
		f.enters(thief, f.address, 1)
		f.proves(thief, f.thiefs, "recovery")
		f.enters(thief, f.address, 10)
		thief.presses("primary", f.thiefs)
		f.enters(owner, f.thiefs, 63)
		owner.presses("primary", f.address)
		owner.presses("remove", f.thiefs)
		f.chooses(owner)
		f.isTheOwners(owner)
	})
}

func TestSEC349_NoLinkOfAnAddressThatTheOwnerRemoved(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, hours := range []time.Duration{1, 71, 73} {
		t.Run(fmt.Sprint("in hour ", int(hours)), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			f := &theft{s, fresh("owner"), fresh("thief"), good}
			owner, thief := s.visitor().register(f.address), s.visitor()
			for range 2 {
				f.enters(thief, f.address, 1)
				f.proves(thief, f.thiefs, "recovery")
				f.enters(s.visitor(), f.address, hours) // the notice is the newest link
				s.settle()
				f.enters(owner, f.address, 0)
				owner.presses("remove", f.thiefs)
				f.chooses(owner)
				f.isTheOwners(owner)
			}
		})
	}
}

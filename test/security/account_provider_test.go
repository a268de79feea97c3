package security

import (
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/config"
)

// connects begins to connect the visitor's account with the provider, and returns
// the request that the browser takes there.
func (v *visitor) connects() url.Values {
	v.Helper()
	form := url.Values{"account": {v.id()}, "provider": {"acme"}}
	return leaving(v.form("/auth/account/providers/connect", form).must(200))
}

// identities returns how many identities all accounts have.
func (s *site) identities() int { return s.count(`SELECT COUNT(*) FROM identity`) }

func TestSEC304_AForeignIdentityIsNotJoined(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	p.says(object{"email": fresh("other"), "email_verified": true})
	mara, eve := s.two()
	victim, attacker := s.visitor(), s.visitor()
	victim.signIn(mara, good).must(200)
	attacker.signIn(eve, good).must(200)

	// The attacker's response, with the attacker's identity, in the victim's browser.
	attack := p.approve(attacker.connects())
	victim.callback("acme", attack).must(303)
	// The same with the sign-in of the victim taken over in between.
	fixed := p.approve(victim.connects())
	victim.signIn(eve, good).must(200)
	victim.callback("acme", fixed).must(303)
	// And by a page of another site, which can send a form without a session's proof.
	header := attacker.ours("application/x-www-form-urlencoded")
	header.Set("Origin", "https://evil.test")
	body := url.Values{"account": {attacker.id()}, "provider": {"acme"}}.Encode()
	if a := attacker.do("POST", "/auth/account/providers/connect", body, header); a.status != 403 {
		t.Errorf("another site begins it: %d", a.status)
	}
	if n := s.identities(); n != 0 {
		t.Errorf("%d identities were joined", n)
	}
	attacker.callback("acme", p.approve(attacker.connects())).must(303)
	if n := s.identities(); n != 1 {
		t.Errorf("the own attempt joins %d identities", n)
	}
	// The identity has an account now: no other one gets it.
	victim.signIn(mara, good).must(200)
	to := victim.callback("acme", p.approve(victim.connects())).must(303).header.Get("Location")
	if n := s.identities(); n != 1 || !strings.Contains(to, "failed=provider.taken") {
		t.Errorf("%d identities, and the browser is sent to %s", n, to)
	}
}

func TestSEC305_AnOldSessionConnectsNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	p.says(object{"email": fresh("other"), "email_verified": true})
	v, _ := s.signedIn()
	v.callback("acme", p.approve(v.connects())).must(303)
	form := url.Values{"account": {v.id()}, "provider": {"acme"}}
	s.clock.Advance(10 * time.Minute)
	for _, press := range []string{"connect", "disconnect"} {
		if a := v.form("/auth/account/providers/"+press, form); a.status != 401 {
			t.Errorf("%s with an old proof: %d", press, a.status)
		}
	}
	if n := s.identities(); n != 1 {
		t.Errorf("%d identities are left", n)
	}
}

func TestSEC124_TheLastWayInStays(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true)
	p.says(object{"email": fresh("other"), "email_verified": true})
	v, mara := s.signedIn()
	v.post("account/password/remove", object{"account": v.id()}).refused(409, "account.last_way")
	v.callback("acme", p.approve(v.connects())).must(303)

	// Both at once: each alone would leave the other.
	id, browsers := v.id(), []*visitor{s.with(v.cookie("session")), s.with(v.cookie("session"))}
	password := url.Values{"account": {id}}
	provider := url.Values{"account": {id}, "provider": {"acme"}}
	var done sync.WaitGroup
	start := make(chan struct{})
	for i, press := range []func(b *visitor) error{
		func(b *visitor) error {
			_, err := b.try("POST", "/auth/account/password/remove", password.Encode(), b.ours("application/x-www-form-urlencoded"))
			return err
		},
		func(b *visitor) error {
			_, err := b.try("POST", "/auth/account/providers/disconnect", provider.Encode(), b.ours("application/x-www-form-urlencoded"))
			return err
		},
	} {
		done.Go(func() {
			<-start
			if failed := press(browsers[i]); failed != nil {
				t.Error(failed)
			}
		})
	}
	close(start)
	done.Wait()
	passwords := s.count(`SELECT COUNT(*) FROM account WHERE id = $1 AND password <> ''`, id)
	if passwords+s.identities() != 1 {
		t.Errorf("%d passwords and %d identities are left, want one of both", passwords, s.identities())
	}
	press := "/auth/account/providers/disconnect"
	if passwords == 1 {
		v.signIn(mara, good).must(200)
		v.post("account/password/remove", object{"account": id}).refused(409, "account.last_way")
		return
	}
	p.says(object{"email": mara, "email_verified": true, "auth_time": s.clock.Now().Unix()})
	v.continueWith(p)
	if a := v.form(press, provider); a.status != 409 {
		t.Errorf("the last way in: %d", a.status)
	}
}

// The settings give the id of the provider to another one, where the identity signs nobody in.
func TestSEC124_AnIdentityOfAFormerProviderIsNoWayIn(t *testing.T) {
	announce(t)
	t.Parallel()
	p, q := newIDP(t), newIDP(t)
	s := start(t, p.at("acme", true))
	p.site, q.site = s, s
	p.says(object{"email": fresh("other"), "email_verified": true})
	v, address := s.signedIn()
	v.callback("acme", p.approve(v.connects())).must(303)
	alone, without := s.visitor(), fresh("without")
	p.says(object{"sub": without, "email": without, "email_verified": true, "auth_time": s.clock.Now().Unix()})
	if alone.continueWith(p); alone.whoami() != without {
		t.Fatalf("signed in as %q", alone.whoami())
	}
	s.follows(func(c *config.Config) {
		c.Providers = slices.Clone(c.Providers)
		c.Providers[0].Issuer = q.server.URL
	})
	v.post("account/password/remove", object{"account": v.id()}).refused(409, "account.last_way")
	if v.whoami() != address {
		t.Error("the session has ended")
	}
	again := s.visitor()
	flow := again.forgot(without)
	again.verify(flow, s.mail.next(without).code(t)).must(200)
	again.reset(flow, good).must(200)
	if again.whoami() != without {
		t.Errorf("the owner without a password is signed in as %q", again.whoami())
	}
}

// Two passkeys are the only ways in, and two browsers remove one each.
func TestSEC124_OneOfTwoPasskeysStays(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for range rounds(2, 50) {
		owner, _ := s.holder()
		second, challenge := owner.offered()
		owner.add(second.Create(challenge)).must(200)
		owner.post("account/password/remove", object{"account": owner.id()}).must(200)
		id := owner.id()
		rows, err := s.database().Query(`SELECT id FROM passkey WHERE account_id = $1`, id)
		if err != nil {
			t.Fatal(err)
		}
		var held []string
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			held = append(held, one)
		}
		if err := rows.Err(); err != nil || len(held) != 2 {
			t.Fatalf("%d passkeys (%v)", len(held), err)
		}
		atOnce(2, func(i int) {
			if _, err := owner.tryAs(owner, "account/passkeys/remove", object{"account": id, "id": held[i]}); err != nil {
				t.Error(err)
			}
		})
		if n := s.count(`SELECT COUNT(*) FROM passkey WHERE account_id = $1`, id); n != 1 {
			t.Errorf("%d passkeys are left, want one", n)
		}
	}
}

package security

import (
	"testing"
	"time"
)

// known returns browsers that the account knows: each is signed in. With a phone it has
// given the second factor.
func (s *site) known(address string, n int, p *phone) (list []*visitor) {
	s.Helper()
	for range n {
		v := s.visitor()
		a := v.signIn(address, good).must(200)
		if p != nil {
			v.give(a.flow(), p.code()).must(200)
			s.clock.Advance(30 * time.Second)
		}
		list = append(list, v)
	}
	return list
}

// guesses sends wrong second factors after the password until one is refused, five in a
// sign-in. It returns how long the refusal lasts.
func (v *visitor) guesses(p *phone, password string) time.Duration {
	v.Helper()
	for {
		flow := v.signIn(p.address, password).flow()
		for range 5 {
			if a := v.give(flow, wrong(p.code())); a.status == 429 && a.code() == "throttle.limited" {
				return time.Duration(a.problem().RetryAfter) * time.Second
			}
		}
	}
}

// useUp lets patient attackers guess in the browsers, until each is refused for days. It
// returns how many codes were compared.
func (p *phone) useUp(password string, browsers ...*visitor) int {
	p.Helper()
	before := p.evaluated("factor_failed")
	for len(browsers) > 0 {
		var left []*visitor
		for _, v := range browsers {
			if v.guesses(p, password) <= time.Hour {
				left = append(left, v)
			}
		}
		browsers = left
		p.clock.Advance(time.Hour)
	}
	return p.evaluated("factor_failed") - before
}

// regains sets a new password by email in a new browser, and gives the code.
func (p *phone) regains(password string) {
	p.Helper()
	v := p.visitor()
	flow := v.forgot(p.address)
	v.verify(flow, lastCode(p.site, p.mail, p.address)).must(200)
	v.give(v.reset(flow, password).flow(), p.code()).must(200)
	if v.whoami() != p.address {
		p.Error("the owner does not get in")
	}
}

// 40 browsers signed in while the password was enough. After the owner has added a second
// factor, they are strangers.
func TestSEC345_BrowsersFromBeforeTheFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	owner := s.visitor().register(address)
	early := s.known(address, 40, nil)
	p := owner.enrol()
	for _, v := range early {
		v.guesses(p, good)
	}
	if n := s.evaluated("factor_failed"); n != 5 {
		t.Errorf("browsers from before the second factor had %d codes compared at once, want 5", n)
	}
	flow := owner.signIn(address, good).flow()
	owner.give(flow, p.code()).must(200) // this browser has added the app
}

// Strangers who know the password use up everything they have. The owner gets in with a
// browser of before, or after a new password with any browser.
func TestSEC345_StrangersLeaveTheOwnerGuesses(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	for _, how := range []string{"known", "new password"} {
		if n := p.useUp(good, s.visitor(), s.visitor()); n != 40 {
			t.Errorf("%s: strangers had %d codes in a row compared, want 40", how, n)
		}
		if how == "known" {
			owner.give(owner.signIn(p.address, good).flow(), p.code()).must(200)
		} else {
			p.regains(other)
		}
	}
}

// However many known browsers a thief has, 100 codes in a row are compared at most.
func TestSEC345_AllBrowsersTogether(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	thieves := s.known(p.address, max(12, rounds(12, 60)), p)
	flows := make([]string, len(thieves))
	for i, v := range thieves {
		flows[i] = v.signIn(p.address, good).flow()
	}
	guess := wrong(p.code())
	atOnce(len(thieves), func(i int) {
		v := thieves[i]
		for range 5 {
			a, err := v.try("POST", "/auth/api/mfa", encode(object{"flow": flows[i], "code": guess}), v.ours("application/json"))
			if err != nil || a.status != 422 && a.status != 429 {
				t.Errorf("a guess among many fails oddly: %+v %v", a, err)
			}
		}
	})
	if n := s.evaluated("factor_failed"); n != 55 {
		t.Errorf("%d known browsers had %d codes compared at once, want 50 and the 5 of strangers", len(thieves), n)
	}
	s.clock.Advance(time.Hour)
	if n := p.useUp(good, thieves[0], s.visitor()) + 55; n != 90 {
		t.Errorf("%d codes in a row were compared with one password, want 90", n)
	}
	p.regains(other)
}

func TestSEC346_KnownBrowsersShareEmailsAndCodes(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	list := s.known(address, 25, nil)
	s.clock.Advance(25 * time.Hour)
	for _, v := range list {
		for range 5 {
			v.verify(v.forgot(address), "000000")
		}
	}
	s.settle()
	emails := 0
	for _, l := range s.mail.to(address) {
		if l.code(t) != "" {
			emails++
		}
	}
	if n := s.evaluated("code_failed"); emails != 35 || n != 20 {
		t.Errorf("25 known browsers caused %d emails and had %d codes compared in an hour, want 35 and 20", emails, n)
	}
}

func TestSEC347_KnownBrowsersShareWrongPasswords(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	list := s.known(address, 25, nil)
	for _, v := range list {
		for range 6 {
			v.signIn(address, other)
		}
	}
	if n := s.evaluated("sign_in_failed"); n != 55 {
		t.Errorf("25 known browsers had %d passwords compared at once, want 50 and the 5 of strangers", n)
	}
	s.clock.Advance(time.Hour)
	list[24].signIn(address, good).must(200)
}

// A sign-in that began with the former password takes no guesses from those that the owner has with the new one.
func TestSEC462_AFormerPasswordUsesUpNoGuesses(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	var thieves []*visitor
	var flows []string
	for range 2 {
		v := s.visitor()
		thieves, flows = append(thieves, v), append(flows, v.signIn(p.address, good).flow())
	}
	owner.post("account/password", object{"account": owner.id(), "password": other, "confirm_password": other}).must(200)
	for i, v := range thieves {
		for range 5 {
			v.giveRecovery(flows[i], "AAAA-AAAA-AAAA-AAAA").refused(404, "flow.unknown")
			v.give(flows[i], wrong(p.code())).refused(404, "flow.unknown")
		}
	}
	before := s.evaluated("factor_failed")
	s.visitor().guesses(p, other)
	if n := s.evaluated("factor_failed") - before; n != 5 {
		t.Errorf("with the new password, %d codes are compared at once, want 5", n)
	}
}

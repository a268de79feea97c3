package security

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/session"
)

// made are the things that a browser of an account can get and keep, each with whether it still works. They are got
// before a change, and each is used once after it.
func (c *cell) gets() map[string]func() bool {
	c.Helper()
	redeems := func(got rpAnswer) bool { return got.status == 200 && got.Access != "" }
	refreshes := func(t rpAnswer) func() bool {
		return func() bool { return redeems(c.rp("token", refreshForm(t.Refresh))) }
	}
	const offline = "openid offline_access"
	if c.password != "" {
		c.trusts()
	}
	former := c.site.visitor()
	c.enters(former)
	outlived := former.rpTokens("scope", offline)
	former.post("signout", object{}).must(200)

	v, token := c.other, c.other.cookie("session")
	tv := c.site.device()
	v.form(devicePath, tv.answer(v, "allow")).must(200)
	code, access, personal := v.openIDCode(), v.rpTokens("scope", offline).Access, v.personal("tools")
	const nonce = "of the browser"
	ticket, err := c.app.Flows.IssueTicket(c.Context(), token, "host.test", c.app.Flows.Bind("host.test", nonce))
	c.must(err)
	return map[string]func() bool{
		"the trust": func() bool {
			list, err := c.app.Owner.TrustedBrowsers(c.Context(), c.id)
			c.must(err)
			return len(list) > 0
		},
		"the session":       func() bool { return c.with(token).whoami() != "" },
		"a code for an app": func() bool { return redeems(c.rp("token", codeForm(code))) },
		"a device":          func() bool { return redeems(tv.polls()) },
		"a ticket to a host": func() bool {
			admission, err := c.app.Flows.RedeemTicket(c.Context(), ticket, "host.test")
			if err == nil {
				_, _, err = c.app.Flows.RedeemAdmission(c.Context(), admission, "host.test", nonce)
			}
			return err == nil
		},
		"an app":                           refreshes(v.rpTokens()),
		"an app offline":                   refreshes(v.rpTokens("scope", offline)),
		"its access token":                 func() bool { return c.works(access) },
		"an app that outlived its session": refreshes(outlived),
		"a personal access token":          func() bool { return c.site.visitor().sends("/tools/x", "Bearer "+personal).status == 200 },
	}
}

// trusts signs in with a further browser, and trusts it.
func (c *cell) trusts() {
	v := c.site.visitor()
	a := v.signIn(c.address, c.password).must(200)
	c.clock.Advance(60e9)
	v.post("mfa", object{"flow": a.flow(), "code": c.phone.code(), "trust": "yes"}).must(200)
}

// stays says what works after each change. What is not named here works after none.
func stays() map[string][]string {
	all := []string{"the session", "a code for an app", "a device", "a ticket to a host", "an app", "an app offline", "its access token", "an app that outlived its session", "a personal access token"}
	trusting := append(slices.Clone(all), "the trust")
	return map[string][]string{
		// What is added takes nothing away: an owner who is afraid ends the other sessions. But the trust in a browser is for
		// the ways in that there were.
		"an app is added": all, "a passkey is added": all, "recovery codes are made": all, "a provider is connected": all,
		"the name is changed": trusting, "a role needs a second factor": trusting, "a role is taken": trusting,
		// The user has left this browser, and trusts what was meant to stay.
		"the browser signs out": {"an app offline", "its access token", "an app that outlived its session", "a personal access token", "the trust"},
		// One session ends with all that it has given. A personal access token has no session: making it took a new
		// proof and an email, and it ends alone or with all sessions.
		"the session is ended by its owner":   {"an app that outlived its session", "a personal access token", "the trust"},
		"the session is ended by an operator": {"an app that outlived its session", "a personal access token", "the trust"},
		// Trust lets nobody in without the password, ends with that, and has a button of its own.
		"the other sessions are ended": {"the trust"}, "an operator ends all sessions": {"the trust"},
		"the end of the account comes": {"the trust"}, // but nobody signs in
	}
}

// moreEnds are changes that docs/pending-steps.md does not name: they end one session, and so no step of another browser, or
// they come from elsewhere, or give back the account.
func moreEnds() map[string]accountChange {
	operates := func(changes ...func(c *cell, a account.Account) error) accountChange {
		return accountChange{press: func(c *cell) *answer {
			for _, change := range changes {
				c.operates(func(a account.Account) error { return change(c, a) })
			}
			return &answer{visitor: c.owner, status: 200}
		}}
	}
	state := func(to account.State) func(c *cell, a account.Account) error {
		return func(c *cell, a account.Account) error {
			return c.app.Operator.SetUserState(c.Context(), flow.ByOperator, a.ID, to)
		}
	}
	found := func(c *cell) session.Found {
		f, err := c.app.Flows.Session(c.Context(), c.other.cookie("session"))
		c.must(err)
		return f
	}
	return map[string]accountChange{
		"an operator changes the address": operates(func(c *cell, a account.Account) error {
			return c.app.Operator.SetUserAddress(c.Context(), flow.ByOperator, a.ID, fresh("moved"))
		}),
		"a role is taken": operates(func(c *cell, a account.Account) error {
			return c.app.Operator.SetUserRoles(c.Context(), flow.ByOperator, a.ID, nil)
		}),
		"the account is disabled and enabled again": operates(state(account.DisabledByOperator), state(account.Active)),
		"an admin deletes the account and takes it back": operates(func(c *cell, a account.Account) error {
			_, err := c.app.Operator.ScheduleErasure(c.Context(), flow.ByOperator, a.ID, a.Address.Mail)
			return err
		}, func(c *cell, a account.Account) error {
			return c.app.Operator.RestoreUser(c.Context(), flow.ByOperator, a.ID)
		}),
		"the owner closes the account and keeps it": {press: func(c *cell) *answer {
			c.owner.post("account/delete", object{"account": c.id}).must(200)
			back := c.site.visitor()
			a := back.signIn(c.address, c.password).must(200)
			c.clock.Advance(60e9)
			return back.post("keep", object{"flow": back.give(a.flow(), c.phone.code()).must(200).flow()})
		}},
		"the password is reset by email": {press: func(c *cell) *answer {
			back := c.site.visitor()
			flow := back.forgot(c.address)
			back.verify(flow, c.mail.code(c.address)).must(200)
			return back.reset(flow, other)
		}},
		"the browser signs out": {press: func(c *cell) *answer { return c.other.post("signout", object{}) }},
		"the session is ended by its owner": {press: func(c *cell) *answer {
			return c.owner.do("DELETE", "/auth/api/sessions/"+found(c).Session.ID, "", c.owner.ours(""))
		}},
		"the session is ended by an operator": {press: func(c *cell) *answer {
			c.must(c.app.Operator.EndUserSession(c.Context(), flow.ByOperator, found(c).Session.ID))
			return &answer{visitor: c.owner, status: 200}
		}},
	}
}

func TestSEC453_WhatASessionHasMadeEndsWithIt(t *testing.T) {
	announce(t)
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(tellsWhom))
	t.Cleanup(app.Close)
	upstream, _ := url.Parse(app.URL)
	s, acme := startWithIDP(t, true, withTV, requiring(0, "role:strict"), func(c *config.Config) {
		c.Apps = []config.App{{Name: "tools", Path: "/tools", Upstream: upstream, PersonalTokens: true, Key: "app.1"}}
	})
	changes := maps.Clone(accountChanges())
	maps.Copy(changes, moreEnds())
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := changes[name]
		if c.reload != nil {
			continue // judged at the next use: SEC-315
		}
		c.needs += " app session"
		here := s.cell(acme, step{begin: func(*cell) {}}, accountChange{needs: c.needs})
		works := here.gets()
		if c.ready != nil {
			c.ready(here)
		}
		if a := c.press(here); a.status >= 400 {
			t.Errorf("%s: %d %.300s", name, a.status, a.body)
		}
		for what, does := range works {
			if got, want := does(), slices.Contains(stays()[name], what); got != want {
				t.Errorf("%s: %s works: %v, want %v", name, what, got, want)
			}
		}
	}
}

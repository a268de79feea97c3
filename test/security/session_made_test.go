package security

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

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
		"the session":       func() bool { return c.with(token).whoami() != "" },
		"a code for an app": func() bool { return redeems(c.rp("token", codeForm(code))) },
		"a device":          func() bool { return redeems(tv.polls()) },
		"a ticket to a host": func() bool {
			admission, err := c.app.Flows.RedeemTicket(c.Context(), ticket, "host.test")
			c.must(err)
			_, _, err = c.app.Flows.RedeemAdmission(c.Context(), admission, "host.test", nonce)
			return err == nil
		},
		"an app":                           refreshes(v.rpTokens()),
		"an app offline":                   refreshes(v.rpTokens("scope", offline)),
		"its access token":                 func() bool { return c.works(access) },
		"an app that outlived its session": refreshes(outlived),
		"a personal access token":          func() bool { return c.site.visitor().sends("/tools/x", "Bearer "+personal).status == 200 },
	}
}

// stays says what works after each change. What is not named here works after none.
func stays() map[string][]string {
	all := []string{"the session", "a code for an app", "a device", "a ticket to a host", "an app", "an app offline", "its access token", "an app that outlived its session", "a personal access token"}
	return map[string][]string{
		// What is added takes nothing away: an owner who is afraid ends the other sessions.
		"an app is added": all, "a passkey is added": all, "recovery codes are made": all, "a provider is connected": all,
		"the name is changed": all, "a role needs a second factor": all,
		// The user has left this browser, and trusts what was meant to stay.
		"the browser signs out": {"an app offline", "its access token", "an app that outlived its session", "a personal access token"},
		// One session ends with all that it has given. A personal access token has no session: making it took a new
		// proof and an email, and it ends alone or with all sessions.
		"the session is ended by its owner":   {"an app that outlived its session", "a personal access token"},
		"the session is ended by an operator": {"an app that outlived its session", "a personal access token"},
	}
}

// sessionEnds are the changes that end one session, and so no step of another browser.
func sessionEnds() map[string]accountChange {
	found := func(c *cell) session.Found {
		f, err := c.app.Flows.Session(c.Context(), c.other.cookie("session"))
		c.must(err)
		return f
	}
	return map[string]accountChange{
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
	maps.Copy(changes, sessionEnds())
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		c := changes[name]
		if c.reload != nil {
			continue // judged at the next use: SEC-315
		}
		c.needs += " session"
		here := s.cell(acme, step{begin: func(*cell) {}}, c)
		works := here.gets()
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

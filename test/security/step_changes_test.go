package security

import (
	"net/url"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/passkey"
	"portico/internal/store"
)

// accountChange is a row of the table: what the account needs for it, what comes before the last
// press, and that press. A reload changes the settings instead.
type accountChange struct {
	needs  string
	by     string // "owner", "operator" or "reload"
	ready  func(c *cell)
	press  func(c *cell) *answer
	reload option
}

// prepare gives the account what a step and a change need, before the step begins.
func (c *cell) prepare(needs string) {
	c.Helper()
	if strings.Contains(needs, "app") {
		c.phone = c.owner.enrol()
	}
	if strings.Contains(needs, "passkey") || strings.Contains(needs, "no-pass") {
		made, challenge := c.owner.offered()
		c.owner.add(made.Create(challenge)).must(200)
		c.key = made
	}
	if strings.Contains(needs, "identity") {
		c.subject = fresh("s")
		c.owner.callback("acme", c.approved(c.owner.connects(), object{"sub": c.subject, "email": fresh("e"), "email_verified": true})).must(303)
	}
	if strings.Contains(needs, "recovery") {
		c.recovery = fresh("notices")
		c.owner.recovers(c.recovery)
	}
	if strings.Contains(needs, "alarm") {
		c.owner.post("account/profile", object{"account": c.id, "name": "Mara"}).must(200)
		c.raiser = c.site.visitor()
		c.mark = c.raiser.opensAlarm(c.alarm(c.address))
	}
	if strings.Contains(needs, "no-pass") {
		c.owner.post("account/password/remove", object{"account": c.id}).must(200)
		c.password = ""
	}
	if strings.Contains(needs, "session") {
		c.enters(c.other)
	}
}

// role gives the account a role as an operator does.
func (c *cell) role(role string) {
	if err := c.app.Operator.SetUserRoles(c.Context(), flow.ByOperator, c.id, []string{role}); err != nil {
		c.Error(err)
	}
}

// operates runs a change of an operator.
func (c *cell) operates(fn func(a account.Account) error) *answer {
	a := account.Account{}
	err := c.app.Store.Read(c.Context(), func(tx *store.Tx) (err error) {
		a, _, err = tx.AccountByID(c.Context(), c.id)
		return err
	})
	if err == nil {
		err = fn(a)
	}
	if err != nil {
		c.Error(err)
	}
	return &answer{visitor: c.owner, status: 200}
}

// idOf returns the id of the only row that list finds.
func idOf[Row any](c *cell, list func(tx *store.Tx) ([]Row, error), id func(Row) string) (found string) {
	c.Helper()
	err := c.app.Store.Read(c.Context(), func(tx *store.Tx) error {
		rows, err := list(tx)
		for _, r := range rows {
			found = id(r)
		}
		return err
	})
	if err != nil {
		c.Error(err)
	}
	return found
}

// accountChanges are the rows of the table in docs/pending-steps.md.
func accountChanges() map[string]accountChange {
	own := func(operation string, more ...string) func(c *cell) *answer {
		return func(c *cell) *answer {
			body := object{"account": c.id}
			for i := 0; i < len(more); i += 2 {
				body[more[i]] = more[i+1]
			}
			return c.owner.post(operation, body)
		}
	}
	proves := func(use string) func(c *cell) {
		return func(c *cell) {
			to := fresh("owner")
			c.theirFlow = c.owner.post("account/addresses", object{"account": c.id, "email": to, "use": use}).flow()
			c.theirCode = c.mail.code(to)
		}
	}
	verifies := func(c *cell) *answer { return c.owner.verify(c.theirFlow, c.theirCode) }
	return map[string]accountChange{
		"an app is added": {
			by: "owner",
			ready: func(c *cell) {
				page := c.owner.post("factors/add", object{"account": c.id}).next()
				secret := key(c.owner, c.owner.shown(page).Secret)
				c.theirFlow, c.theirCode = strings.TrimPrefix(page, "/auth/account/factors?flow="), secret.At(c.clock.Now())
			},
			press: func(c *cell) *answer {
				return c.owner.post("factors/confirm", object{"flow": c.theirFlow, "code": c.theirCode})
			},
		},
		"an app is removed": {by: "owner", needs: "app", press: func(c *cell) *answer {
			id := idOf(c, func(tx *store.Tx) ([]factor.Factor, error) { return tx.FactorsOf(c.Context(), c.id) }, func(f factor.Factor) string { return f.ID })
			return c.owner.post("factors/remove", object{"account": c.id, "id": id})
		}},
		"a passkey is added": {
			by: "owner",
			ready: func(c *cell) {
				made, challenge := c.owner.offered()
				c.theirs = made.Create(challenge)
			},
			press: func(c *cell) *answer {
				return c.owner.post("account/passkeys", creation(object{"account": c.id}, c.theirs))
			},
		},
		"a passkey is removed": {by: "owner", needs: "passkey", press: func(c *cell) *answer {
			id := idOf(c, func(tx *store.Tx) ([]passkey.Passkey, error) { return tx.PasskeysOf(c.Context(), c.id) }, func(p passkey.Passkey) string { return p.ID })
			return c.owner.post("account/passkeys/remove", object{"account": c.id, "id": id})
		}},
		"recovery codes are made":   {by: "owner", needs: "app", press: own("factors/codes")},
		"the password is changed":   {by: "owner", press: own("account/password", "password", other, "confirm_password", other)},
		"the first password is set": {by: "owner", needs: "no-pass", press: own("account/password", "password", other, "confirm_password", other)},
		"the password is removed":   {by: "owner", needs: "passkey", press: own("account/password/remove")},
		"the address is changed":    {by: "owner", ready: proves(""), press: verifies},
		"a recovery address is set": {by: "owner", ready: proves("recovery"), press: verifies},
		"the recovery address is removed": {by: "owner", needs: "recovery", press: func(c *cell) *answer {
			return c.owner.form("/auth/account/addresses/remove", url.Values{"account": {c.id}, "address": {c.recovery}})
		}},
		"a provider is connected": {
			by: "owner", needs: "stranger",
			ready: func(c *cell) {
				c.callback = c.approved(c.owner.connects(), object{"sub": fresh("s"), "email": fresh("e"), "email_verified": true})
			},
			press: func(c *cell) *answer { return c.owner.callback("acme", c.callback) },
		},
		"a provider is disconnected": {by: "owner", needs: "identity", press: func(c *cell) *answer {
			return c.owner.form("/auth/account/providers/disconnect", url.Values{"account": {c.id}, "provider": {"acme"}})
		}},
		"the name is changed":          {by: "owner", press: own("account/profile", "name", "Mara Lind")},
		"the other sessions are ended": {by: "owner", press: func(c *cell) *answer { return c.owner.do("DELETE", "/auth/api/sessions", "", c.owner.ours("")) }},
		"the owner closes the account": {by: "owner", press: own("account/delete")},
		"an alarm is raised":           {by: "owner", needs: "alarm", press: func(c *cell) *answer { return c.raiser.post("not-me", object{"link": c.mark}) }},
		"an operator sets a password": {by: "operator", press: func(c *cell) *answer {
			return c.operates(func(a account.Account) error {
				return c.app.Operator.SetUserPassword(c.Context(), flow.ByOperator, a, other)
			})
		}},
		"an operator ends all sessions": {by: "operator", press: func(c *cell) *answer {
			return c.operates(func(a account.Account) error {
				_, err := c.app.Operator.EndUserSessions(c.Context(), flow.ByOperator, a.ID)
				return err
			})
		}},
		"an operator resets the factors": {by: "operator", needs: "app", press: func(c *cell) *answer {
			return c.operates(func(a account.Account) error {
				_, err := c.app.Operator.ResetFactors(c.Context(), flow.ByOperator, a.ID)
				return err
			})
		}},
		"a role needs a second factor": {by: "operator", press: func(c *cell) *answer { c.role("strict"); return &answer{visitor: c.owner, status: 200} }},
		"the account is disabled": {by: "operator", press: func(c *cell) *answer {
			return c.operates(func(a account.Account) error {
				return c.app.Operator.SetUserState(c.Context(), flow.ByOperator, a.ID, account.DisabledByOperator)
			})
		}},
		"the end of the account comes": {by: "operator", press: func(c *cell) *answer {
			return c.operates(func(a account.Account) error {
				err := c.app.Operator.SetUserEnd(c.Context(), flow.ByOperator, a.ID, c.clock.Now().Add(time.Second))
				c.clock.Advance(time.Second)
				return err
			})
		}},
		"the account is deleted": {by: "operator", press: func(c *cell) *answer {
			return c.operates(func(a account.Account) error { return c.app.Operator.DeleteUser(c.Context(), flow.ByOperator, a.ID) })
		}},
		"all need a second factor":            {by: "reload", reload: requiring(0, "all")},
		"the terms are new":                   {by: "reload", reload: withTerms("2")},
		"sign-up is closed":                   {by: "reload", reload: func(c *config.Config) { c.SignUp.Mode = "closed" }},
		"addresses must be of another domain": {by: "reload", reload: func(c *config.Config) { c.SignUp.Domains = []string{"other.example"} }},
		"the provider is removed":             {by: "reload", needs: "", reload: func(c *config.Config) { c.Providers = nil }},
		"the provider is not believed": {by: "reload", reload: func(c *config.Config) {
			for i := range c.Providers {
				c.Providers[i].TrustEmail = false
			}
		}},
		"codes by email are off": {by: "reload", reload: func(c *config.Config) { c.SignIn.Code = false }},
	}
}

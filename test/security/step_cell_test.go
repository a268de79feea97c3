package security

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/store"
)

// cell is one account with two browsers: the owner's, which changes the account, and another one
// with a step that was begun. The other one knows every secret of the account, as a thief may.
type cell struct {
	*site
	acme         *idp
	address      string
	id           string
	owner, other *visitor
	phone        *phone
	key          *passkeytest.Authenticator
	password     string // "" without one
	flow, code   string // of the step
	answer       url.Values
	subject      string // at the provider
	made         passkey.Answer
	recovery     string // address for a recovery

	// Of the change, before its last press.
	theirFlow, theirCode string
	theirs               passkey.Answer
	callback             url.Values
	raiser               *visitor // which has the page of an alarm open
	mark                 string
}

// enters signs a browser in completely, with a second factor or a passkey if the account has one.
func (c *cell) enters(v *visitor) {
	c.Helper()
	if c.key != nil {
		v.enter(c.key.Use(v.ask())).must(200)
		return
	}
	a := v.signIn(c.address, c.password).must(200)
	if c.phone != nil && v.whoami() == "" {
		c.clock.Advance(60e9)
		v.give(a.flow(), c.phone.code()).must(200)
	}
}

// begins gives the first proof and returns the flow in which the sign-in waits.
func (c *cell) begins() string {
	c.Helper()
	if c.key != nil && c.password == "" {
		return c.other.enter(c.key.Use(c.other.ask())).must(200).flow()
	}
	a := c.other.signIn(c.address, c.password).must(200)
	if c.phone != nil && strings.Contains(a.next(), "/auth/mfa?") {
		c.clock.Advance(60e9)
		a = c.other.give(a.flow(), c.phone.code()).must(200)
	}
	return a.flow()
}

// anotherCode uses up the guesses of the flow that waits for a mailed code, asks for another one and gives it.
func (c *cell) anotherCode() *answer {
	for range 5 {
		c.other.verify(c.flow, wrong(c.code))
	}
	a := c.other.post("resend", object{"flow": c.flow})
	if a.status != 200 {
		return a
	}
	return c.other.verify(a.flow(), c.mail.code(c.address))
}

// approved is what the provider answers to a request about a person.
func (c *cell) approved(request url.Values, who object) url.Values {
	c.acme.says(who)
	return c.acme.approve(request)
}

func (c *cell) update(fn func(tx *store.Tx) error) {
	c.Helper()
	if err := c.app.Store.Write(c.Context(), fn); err != nil {
		c.Fatal(err)
	}
}

// step is a column of the table: how it begins, the press that ends it, and what it does then.
type step struct {
	kinds   string // of flow.Kind and flow.Step, with a slash
	needs   string // as cell.prepare
	only    string // "operator" or "reload" if no other change can come between
	begin   func(c *cell)
	end     func(c *cell) *answer
	effect  func(before, after condition) bool
	options []option
}

// condition is what can be seen of an account.
type condition struct {
	owner, other                string // of the sessions
	password, address, recovery string
	apps, keys, identities      int
	state                       account.State
	name                        string
}

func (c *cell) condition() condition {
	c.Helper()
	now := condition{owner: c.owner.whoami(), other: c.other.whoami()}
	err := c.app.Store.Read(c.Context(), func(tx *store.Tx) error {
		a, _, err := tx.AccountByID(c.Context(), c.id)
		now.password, now.address, now.state, now.name = a.Password, a.Address.Key, a.State, a.Name
		if err != nil {
			return err
		}
		apps, err := tx.FactorsOf(c.Context(), c.id)
		if now.apps = len(apps); err != nil {
			return err
		}
		keys, err := tx.PasskeysOf(c.Context(), c.id)
		if now.keys = len(keys); err != nil {
			return err
		}
		identities, err := tx.IdentitiesOf(c.Context(), c.id)
		if now.identities = len(identities); err != nil {
			return err
		}
		others, err := tx.AddressesOf(c.Context(), c.id, c.clock.Now())
		for _, o := range others {
			if o.Use == account.Recovery {
				now.recovery = o.Address.Key
			}
		}
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return now
}

// since returns what has changed, without names that are used once.
func (now condition) since(before condition) string {
	return fmt.Sprint(now.owner != "", now.other != "", now.password != before.password, now.address != before.address,
		now.recovery != before.recovery, now.apps, now.keys, now.identities, now.state, now.name != before.name)
}

func signsIn(before, after condition) bool {
	return before.other == "" && after.other == after.address && after.other != ""
}

// steps are the columns of the table in docs/pending-steps.md.
func steps() map[string]step {
	presses := func(operation string) func(c *cell) *answer {
		return func(c *cell) *answer { return c.other.post(operation, object{"flow": c.flow}) }
	}
	return map[string]step{
		"recovery": {
			kinds:  "Recovery/Verify",
			begin:  func(c *cell) { c.flow = c.other.forgot(c.address); c.code = c.mail.code(c.address) },
			end:    func(c *cell) *answer { return c.other.verify(c.flow, c.code) },
			effect: func(_, _ condition) bool { return false }, // the page that follows tells
		},
		"reset": {
			kinds: "Recovery/Reset",
			begin: func(c *cell) {
				c.flow = c.other.forgot(c.address)
				c.other.verify(c.flow, c.mail.code(c.address)).must(200)
			},
			end:    func(c *cell) *answer { return c.other.reset(c.flow, "paper hills over a lantern seven") },
			effect: func(before, after condition) bool { return before.password != after.password },
		},
		"code": {
			kinds:  "ByCode/Verify",
			begin:  func(c *cell) { c.flow = c.other.sendCode(c.address); c.code = c.mail.code(c.address) },
			end:    func(c *cell) *answer { return c.other.verify(c.flow, c.code) },
			effect: signsIn,
		},
		"mailbox": {
			kinds: "ByCode/Verify", needs: "password",
			begin: func(c *cell) {
				if _, err := c.openDatabase("").Exec(`INSERT INTO unproven_address (account_id, since) VALUES ($1, 0)`, c.id); err != nil {
					c.Fatal(err)
				}
				c.flow = c.begins()
				c.code = c.mail.code(c.address)
				c.clock.Advance(time.Minute)
			},
			end:    func(c *cell) *answer { return c.anotherCode() },
			effect: signsIn,
		},
		"mfa": {
			kinds: "SecondFactor/Factor", needs: "app password",
			begin:  func(c *cell) { c.flow = c.other.signIn(c.address, c.password).must(200).flow(); c.clock.Advance(60e9) },
			end:    func(c *cell) *answer { return c.other.give(c.flow, c.phone.code()) },
			effect: signsIn,
		},
		"terms": {
			kinds: "Acceptance/Accept",
			begin: func(c *cell) {
				c.update(func(tx *store.Tx) error {
					return tx.UpdateTerms(c.Context(), c.id, account.Terms{Version: "0", AcceptedAt: c.clock.Now()})
				})
				c.flow = c.begins()
			},
			end: func(c *cell) *answer {
				return c.other.post("terms", object{"flow": c.flow, "terms": c.config.Legal.TermsVersion})
			},
			effect: signsIn, options: []option{withTerms("1")},
		},
		"keep": {
			kinds: "Return/Keep", only: "operator",
			begin: func(c *cell) {
				c.owner.post("account/delete", object{"account": c.id}).must(200)
				c.flow = c.begins()
			},
			end:    presses("keep"),
			effect: signsIn,
		},
		"protect": {
			kinds: "Protection/Protect", needs: "password bare",
			begin: func(c *cell) {
				c.role("strict")
				c.flow = c.other.bare(c.address)
				c.code = c.other.secretOf(c.flow).At(c.clock.Now())
			},
			end: func(c *cell) *answer {
				return c.other.post("protect", object{"flow": c.flow, "code": c.code})
			},
			effect: signsIn,
		},
		"address": {
			kinds: "AddressChange/Verify", needs: "session",
			begin: func(c *cell) {
				to := fresh("new")
				c.flow = c.other.asks(to)
				c.code = c.mail.code(to)
			},
			end:    func(c *cell) *answer { return c.other.verify(c.flow, c.code) },
			effect: func(before, after condition) bool { return before.address != after.address && after.address != "" },
		},
		"recovery address": {
			kinds: "AddressChange/Verify", needs: "session",
			begin: func(c *cell) {
				to := fresh("notices")
				c.flow = c.other.post("account/addresses", object{"account": c.id, "email": to, "use": "recovery"}).flow()
				c.code = c.mail.code(to)
			},
			end:    func(c *cell) *answer { return c.other.verify(c.flow, c.code) },
			effect: func(before, after condition) bool { return before.recovery != after.recovery && after.recovery != "" },
		},
		"app": {
			kinds: "Enrolment/Confirm Enrolment/Codes", needs: "session",
			begin: func(c *cell) {
				page := c.other.post("factors/add", object{"account": c.id}).next()
				p := &phone{site: c.site, secret: key(c.other, c.other.shown(page).Secret)}
				c.flow, c.code = strings.TrimPrefix(page, "/auth/account/factors?flow="), p.code()
			},
			end:    func(c *cell) *answer { return c.other.post("factors/confirm", object{"flow": c.flow, "code": c.code}) },
			effect: func(before, after condition) bool { return after.apps > before.apps },
		},
		"connect": {
			kinds: "Provider/Callback Provider/Exchange", needs: "session stranger",
			begin: func(c *cell) {
				c.answer = c.approved(c.other.connects(), object{"sub": fresh("s"), "email": fresh("e"), "email_verified": true})
			},
			end:    func(c *cell) *answer { return c.other.callback("acme", c.answer) },
			effect: func(before, after condition) bool { return after.identities > before.identities },
		},
		"provider": {
			kinds: "Provider/Callback Provider/Exchange", needs: "identity",
			begin: func(c *cell) {
				c.answer = c.approved(c.other.leave("acme", nil), object{"sub": c.subject, "email": fresh("e"), "email_verified": true})
			},
			end:    func(c *cell) *answer { return c.other.callback("acme", c.answer) },
			effect: signsIn,
		},
		"join": {
			kinds: "Provider/Join", needs: "password stranger",
			begin: func(c *cell) {
				given := c.approved(c.other.leave("acme", nil), object{"sub": fresh("s"), "email": c.address, "email_verified": true})
				c.flow = joinFlow(c.T, c.other.callback("acme", given).must(303).header.Get("Location"))
			},
			end: func(c *cell) *answer {
				page := c.other.get("/auth/signin?flow=" + c.flow).boot() // which may have been loaded again
				return c.other.post("signin", object{"email": c.address, "password": good, "flow": page.Flow.ID})
			},
			effect: func(before, after condition) bool { return after.identities > before.identities },
		},
		"passkey": {
			kinds: "", needs: "passkey",
			begin:  func(c *cell) { c.code = c.other.ask() },
			end:    func(c *cell) *answer { return c.other.enter(c.key.Use(c.code)) },
			effect: signsIn,
		},
		"new passkey": {
			kinds: "", needs: "session",
			begin: func(c *cell) {
				made, challenge := c.other.offered()
				c.made = made.Create(challenge)
			},
			end: func(c *cell) *answer {
				return c.other.post("account/passkeys", creation(object{"account": c.id}, c.made))
			},
			effect: func(before, after condition) bool { return after.keys > before.keys },
		},
		"sign-up by a provider": {
			kinds: "Acceptance/Accept",
			begin: func(c *cell) {
				given := c.approved(c.other.leave("acme", nil), object{"sub": fresh("s"), "email": fresh("new"), "email_verified": true})
				_, c.flow, _ = strings.Cut(c.other.callback("acme", given).must(303).header.Get("Location"), "/auth/terms?flow=")
			},
			end: func(c *cell) *answer {
				return c.other.post("terms", object{"flow": c.flow, "terms": c.config.Legal.TermsVersion})
			},
			effect: func(_, after condition) bool { return after.other != "" }, only: "reload", options: []option{withTerms("1")},
		},
		"sign-up": {
			kinds: "SignUp/Verify",
			begin: func(c *cell) {
				to := fresh("new")
				c.flow = c.other.post("signup", object{"email": to, "password": good, "confirm_password": good, "terms": c.config.Legal.TermsVersion}).flow()
				c.code = c.mail.code(to)
			},
			end:    func(c *cell) *answer { return c.other.verify(c.flow, c.code) },
			effect: func(_, after condition) bool { return after.other != "" }, only: "reload",
		},
	}
}

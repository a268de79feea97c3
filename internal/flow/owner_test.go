package flow_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/passkey/passkeytest"
)

// owner is an owner who does what the random numbers say. It knows every secret of
// the account, as the owner does.
type owner struct {
	*visitor
	random   *rand.Rand
	id       string
	password string
	keys     map[string]*passkeytest.Authenticator // by the id of the passkey
	phones   map[string]phone                      // by the id of the factor
	alarms   []raising                             // links in the emails of the last 72 hours
	raised   int                                   // alarms
	lost     bool                                  // an alarm took the password, and no reset has followed
	issued   []issued
	done     []string
	next     int // of the names that are used once
}

// issued is a session token with the credentials that the account had then.
type issued struct {
	token string
	had   []string
}

// raising is an email with a link that raises an alarm.
type raising struct {
	token string
	to    string
	at    time.Time
}

func (o *owner) fresh(name string) string {
	o.next++
	return fmt.Sprintf("%s%d@example.org", name, o.next)
}

// fail stops with everything that was done.
func (o *owner) fail(format string, args ...any) {
	o.Helper()
	o.Fatalf("%s\nafter %s", fmt.Sprintf(format, args...), strings.Join(o.done, ", "))
}

// reads waits until the outbox has sent everything, returns the emails, and keeps their
// links. The clock moves only after it: the outbox sends an email again that is on its
// way for hours, and never sends a code that has expired.
func (o *owner) reads() []outbox.Message {
	o.Helper()
	for queued := 1; queued > 0; time.Sleep(time.Millisecond) {
		err := o.store.Read(o.Context(), func(tx flow.Tx) error {
			counts, err := tx.CountMessages(o.Context())
			queued = counts.Of().Waiting
			return err
		})
		if err != nil {
			o.fail("%v", err)
		}
	}
	var got []outbox.Message
	for len(o.mail.arrived) > 0 {
		m := o.visitor.bundle.next()
		got = append(got, m)
		if token := alarmToken(m); token != "" {
			at, _ := time.Parse(time.RFC3339, m.Data["at"])
			o.alarms = append(o.alarms, raising{token, m.To, at})
		}
	}
	return got
}

// passes lets time pass.
func (o *owner) passes(d time.Duration) {
	o.Helper()
	o.reads()
	o.clock.Advance(d)
}

// awaits returns the code of an email that has one of the templates.
func (o *owner) awaits(templates ...string) string {
	o.Helper()
	for _, m := range o.reads() {
		if slices.Contains(templates, m.Template) {
			return m.Data["code"]
		}
	}
	o.fail("no email %v", templates)
	return ""
}

// credentials returns the credentials of the account.
func (o *owner) credentials() (a account.Account, all []string) {
	o.Helper()
	err := o.store.Read(o.Context(), func(tx flow.Tx) (err error) {
		if a, _, err = tx.AccountByID(o.Context(), o.id); err != nil {
			return err
		}
		all = []string{"address " + a.Address.Key}
		if a.Password != "" {
			all = append(all, "password "+a.Password)
		}
		keys, err := tx.PasskeysOf(o.Context(), o.id)
		for _, k := range keys {
			all = append(all, "passkey "+k.ID)
		}
		if err != nil {
			return err
		}
		factors, err := tx.FactorsOf(o.Context(), o.id)
		for _, f := range factors {
			all = append(all, "factor "+f.ID)
		}
		if err != nil {
			return err
		}
		linked, err := tx.IdentitiesOf(o.Context(), o.id)
		for _, i := range linked {
			all = append(all, "identity "+i.Issuer+" "+i.Subject)
		}
		if err != nil {
			return err
		}
		others, err := tx.AddressesOf(o.Context(), o.id, o.clock.Now())
		for _, each := range others {
			if each.Use == account.Recovery {
				all = append(all, "recovery "+each.Address.Key)
			}
		}
		return err
	})
	if err != nil {
		o.fail("%v", err)
	}
	return a, all
}

// takes keeps the result of a step, and notes its session.
func (o *owner) takes(r flow.Result) {
	o.Helper()
	o.keep(r)
	if r.Session != nil {
		_, all := o.credentials()
		o.issued = append(o.issued, issued{r.Session.Value, all})
	}
}

// stays notes that the session of this browser has made a change, and goes on.
func (o *owner) stays() {
	o.Helper()
	_, all := o.credentials()
	for i := range o.issued {
		if o.issued[i].token == o.Caller.Session {
			o.issued[i].had = all
		}
	}
}

// checks compares the account with the two promises.
func (o *owner) checks() {
	o.Helper()
	_, all := o.credentials()
	ways, err := o.Owner.Ways(o.Context(), o.id)
	if err != nil {
		o.fail("%v", err)
	}
	if !ways.Password && ways.Others == 0 && !o.lost {
		o.fail("no way in is left: %v", all)
	}
	o.checksCodes()
	for _, each := range o.issued {
		if _, err := o.Flows.Session(o.Context(), each.token); err != nil {
			continue
		}
		for _, credential := range each.had {
			if !slices.Contains(all, credential) {
				o.fail("a session is older than the end of %q", credential)
			}
		}
	}
}

// did notes an action, and fails for errors that no user may see.
func (o *owner) did(name string, r flow.Result, err error) bool {
	o.Helper()
	if err != nil {
		name += " (" + err.Error() + ")"
	}
	o.done = append(o.done, name)
	if f := fault.From(err); err != nil && f.Kind == fault.Internal {
		o.fail("%s: %v", name, err)
	}
	if err == nil {
		o.takes(r)
		o.stays()
	}
	return err == nil
}

// enters signs in, in the way that the account has.
func (o *owner) enters() {
	o.Helper()
	o.passes(time.Hour) // limits on emails and attempts have passed
	a, all := o.credentials()
	if linked := strings.Contains(strings.Join(all, " "), "identity "); o.password == "" && len(o.keys) == 0 && linked {
		// No provider answers here. Its users get in, as others do with a password.
		o.lost = false
		o.password = fmt.Sprintf("%s instead of %d", good, len(o.done))
		if err := o.Operator.SetUserPassword(o.Context(), flow.ByOperator, a, o.password); err != nil {
			o.fail("%v", err)
		}
	}
	var r flow.Result
	var err error
	switch keys := slices.Sorted(maps.Keys(o.keys)); {
	case len(keys) > 0 && (o.password == "" || o.random.IntN(2) == 0):
		r, err = o.uses(o.keys[keys[o.random.IntN(len(keys))]])
	case o.password != "":
		r, err = o.signIn(a.Address.Mail, o.password)
	default:
		o.recovers("enters", a.Address.Mail)
		return
	}
	if err != nil {
		o.fail("no sign-in: %v", err)
	}
	o.arrives("enters", r)
}

// arrives gives what is asked for after the first proof.
func (o *owner) arrives(name string, r flow.Result) {
	o.Helper()
	var err error
	for range 3 {
		o.keep(r)
		switch {
		case strings.Contains(r.Next, "/auth/mfa"):
			o.passes(time.Minute)
			for _, p := range o.phones {
				if r, err = o.Flows.GiveFactor(o.Context(), o.Caller, r.FlowID, digits(p.secret.At(o.clock.Now()))); err == nil {
					break
				}
			}
			if len(o.phones) == 0 {
				for _, key := range o.keys {
					r, err = o.proves(key, r.FlowID)
				}
			}
		case strings.Contains(r.Next, "/auth/keep"):
			r, err = o.Flows.KeepAccount(o.Context(), o.Caller, r.FlowID)
		}
		if err != nil {
			o.fail("%s: %v", name, err)
		}
	}
	o.did(name, r, nil)
	if o.signedIn() == "" {
		o.fail("%s leads to %q and not in", name, r.Next)
	}
}

// recovers resets the password with the code that an address gets.
func (o *owner) recovers(name, address string) {
	o.Helper()
	o.passes(24 * time.Hour)
	r, err := o.Flows.Recover(o.Context(), o.Caller, address, flow.Target{})
	if err != nil {
		o.fail("%v", err)
	}
	o.keep(r)
	o.resets(name, r)
}

func (o *owner) resets(name string, r flow.Result) {
	o.Helper()
	_, err := o.Flows.VerifyCode(o.Context(), o.Caller, r.FlowID, o.awaits("recover", "take-back"))
	if err != nil {
		o.fail("%v", err)
	}
	o.next++
	chosen := fmt.Sprintf("%s %d", good, o.next)
	r, err = o.Flows.ResetPassword(o.Context(), o.Caller, flow.ResetInput{FlowID: r.FlowID, Password: chosen, Confirm: chosen})
	if err != nil {
		o.fail("%v", err)
	}
	o.password, o.lost = chosen, false
	o.arrives(name, r)
}

// raises presses the button of one of the emails, and resets the password.
func (o *owner) raises() {
	o.Helper()
	o.reads()
	o.alarms = slices.DeleteFunc(o.alarms, func(a raising) bool { return o.clock.Now().Sub(a.at) >= 72*time.Hour })
	if len(o.alarms) == 0 {
		return
	}
	r, err := o.Flows.RaiseAlarm(o.Context(), o.Caller, o.alarms[o.random.IntN(len(o.alarms))].token)
	if !o.did("alarm", r, err) {
		return
	}
	o.raised++
	o.lost, o.password = true, ""
	o.forgets()
	o.checks()
	if o.random.IntN(2) == 0 {
		o.resets("the reset after it", r)
	}
}

// forgets drops the passkeys and phones that the account has no longer.
func (o *owner) forgets() {
	_, all := o.credentials()
	maps.DeleteFunc(o.keys, func(id string, _ *passkeytest.Authenticator) bool { return !slices.Contains(all, "passkey "+id) })
	maps.DeleteFunc(o.phones, func(id string, _ phone) bool { return !slices.Contains(all, "factor "+id) })
}

// refused reports whether the alarm, a limit or an old proof stops a change.
func refused(err error) bool {
	return err != nil && (errors.Is(err, flow.Alarmed) || errors.Is(err, flow.ProofNeeded) || fault.From(err).Kind == fault.Limited)
}

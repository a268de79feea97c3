package flow_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
	"portico/internal/testform"
)

var seedOf = flag.Uint64("own-seed", 0, "the only seed of TestOwn_Property and TestAlarm_Property")

// No sequence of what owners do leaves an account without a way in, or a session
// that is older than the account's credentials. A failure prints its seed:
//
//	go test ./internal/flow -run Own_Property -args -own-seed=N
func TestOwn_Property(t *testing.T) {
	t.Parallel()
	seeds, steps := []uint64{1, 2, rand.Uint64()}, 12
	if testform.Full() {
		steps = 40
		for range 20 {
			seeds = append(seeds, rand.Uint64())
		}
	}
	if *seedOf != 0 {
		seeds = []uint64{*seedOf}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t, withProvider(t), withPasskeys(t))
			o := &owner{
				visitor: b.visitor("192.0.2.1"), random: rand.New(rand.NewPCG(seed, 1)), password: good,
				keys: map[string]*passkeytest.Authenticator{}, phones: map[string]phone{},
			}
			o.register("mara@example.org")
			o.id = o.found().User.ID
			there := b.visitor("192.0.2.2")
			for range steps {
				o.enters()
				if o.random.IntN(3) == 0 { // another browser, whose session must end in time
					there.Caller = flow.Caller{Peer: "192.0.2.2", Agent: "there"}
					here := o.visitor
					o.visitor = there
					o.enters()
					o.visitor = here
				}
				o.acts()
				o.forgets()
				o.checks()
			}
			o.recoversAtLast()
			if seed <= 2 && o.raised == 0 {
				t.Error("no alarm was raised: choose another fixed seed, with which one is")
			}
		})
	}
}

// recoversAtLast gets into the account with nothing but the mailbox and the second
// factors, whatever has happened to it.
func (o *owner) recoversAtLast() {
	o.Helper()
	o.enters()
	a, _ := o.credentials()
	if a.Password == "" {
		return // a passkey or a provider has let the owner in
	}
	o.recovers("the end", a.Address.Mail)
	o.checks()
}

// acts does one thing, or tries to.
func (o *owner) acts() {
	o.Helper()
	found := o.found()
	others, err := o.Owner.Addresses(o.Context(), o.id)
	if err != nil {
		o.fail("%v", err)
	}
	own := slices.DeleteFunc(others, func(each account.Other) bool { return !each.Own() })
	some := func() string {
		if len(own) == 0 {
			return "none@example.org"
		}
		return own[o.random.IntN(len(own))].Address.Mail
	}
	switch o.random.IntN(16) {
	case 0, 1:
		chosen := fmt.Sprintf("%s of %d", good, len(o.done))
		r, err := o.Owner.ChangePassword(o.Context(), o.Caller, found, chosen, chosen)
		if o.did("password", r, err) {
			o.password = chosen
		}
	case 2, 3:
		r, err := o.Owner.RemovePassword(o.Context(), o.Caller, found)
		if o.did("no password", r, err) {
			o.password = ""
		}
	case 4:
		o.addsKey()
	case 5, 6:
		for id := range o.keys {
			o.did("no passkey", flow.Result{}, o.Owner.RemovePasskey(o.Context(), o.Caller, found, id))
			break
		}
	case 7:
		o.addsPhone()
	case 8:
		for id := range o.phones {
			r, err := o.Owner.RemoveFactor(o.Context(), o.Caller, found, id)
			o.did("no app", r, err)
			break
		}
	case 9:
		o.links("google")
		o.done = append(o.done, "provider")
	case 10:
		r, err := o.Owner.DisconnectProvider(o.Context(), o.Caller, found, "google")
		o.did("no provider", r, err)
	case 11:
		o.asksFor(o.random.IntN(2) == 0)
	case 12:
		press := []func() (flow.Result, error){
			func() (flow.Result, error) { return o.Owner.MakePrimary(o.Context(), o.Caller, found, some()) },
			func() (flow.Result, error) { return o.Owner.SetRecovery(o.Context(), o.Caller, found, some()) },
			func() (flow.Result, error) { return o.Owner.RemoveAddress(o.Context(), o.Caller, found, some()) },
		}
		n := o.random.IntN(len(press))
		r, err := press[n]()
		o.did(fmt.Sprint("address ", n), r, err)
	case 13, 14:
		o.raises()
	case 15:
		o.did("leaves", flow.Result{}, o.Owner.LeaveAccount(o.Context(), o.Caller, found))
	}
	o.passes(time.Duration(o.random.IntN(30)) * time.Hour)
}

// addsKey adds a passkey, unless an alarm refuses it.
func (o *owner) addsKey() {
	o.Helper()
	if _, err := o.Owner.BeginPasskey(o.Context(), o.Caller, o.found(), false); refused(err) {
		o.done = append(o.done, "passkey refused")
		return
	}
	known := slices.Collect(maps.Keys(o.keys))
	key := o.adds()
	list, err := o.Owner.Passkeys(o.Context(), o.id)
	if err != nil {
		o.fail("%v", err)
	}
	for _, p := range list {
		if !slices.Contains(known, p.ID) {
			o.keys[p.ID] = key
		}
	}
	o.done = append(o.done, "passkey")
}

func (o *owner) addsPhone() {
	o.Helper()
	if _, err := o.Owner.BeginFactor(o.Context(), o.Caller, o.found(), flow.Target{}); refused(err) || len(o.phones) > 1 {
		o.done = append(o.done, "app refused")
		return
	}
	p := o.enrols()
	v, err := o.Owner.Factors(o.Context(), o.id)
	if err != nil {
		o.fail("%v", err)
	}
	for _, each := range v.Factors {
		if _, known := o.phones[each.ID]; !known {
			o.phones[each.ID] = p
		}
	}
	o.done = append(o.done, "app")
}

// asksFor proves an address, for the sign-in or a recovery.
func (o *owner) asksFor(recovery bool) {
	o.Helper()
	r, err := o.Owner.ChangeAddress(o.Context(), o.Caller, o.found(), o.fresh("new"), recovery)
	if !o.did("asks for an address", r, err) {
		return
	}
	r, err = o.Flows.VerifyCode(o.Context(), o.Caller, r.FlowID, o.awaits("confirm-address"))
	o.did(fmt.Sprint("another address, for a recovery: ", recovery), r, err)
}

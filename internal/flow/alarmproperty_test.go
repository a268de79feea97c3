package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/testform"
)

// Two addresses of the owner, whose mailboxes no thief reads.
const mara, safe = "mara@example.org", "safe@example.org"

// duel is an account that a thief and its owner change in turn. Both always know the
// password. The owner repairs it at the latest in hour 71 of each theft.
type duel struct {
	*owner
	stolen time.Time // since when the thief has an address in the account; zero for not
}

// In any order of what thief and owner do, no email to the thief has a link, and the owner
// always has one with which the account is the owner's alone. A failure prints its seed:
//
//	go test ./internal/flow -run Alarm_Property -args -own-seed=N
func TestAlarm_Property(t *testing.T) {
	t.Parallel()
	seeds, steps := []uint64{1, 2, 3, rand.Uint64()}, 20
	if testform.Full() {
		steps = 60
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
			b := setup(t)
			d := &duel{owner: &owner{visitor: b.visitor("192.0.2.1"), random: rand.New(rand.NewPCG(seed, 2)), password: good}}
			d.register(mara)
			d.id = d.found().User.ID
			if d.random.IntN(2) == 0 {
				d.proves(safe, true)
				d.passes(73 * time.Hour)
			}
			for range steps {
				d.enters()
				if !d.stolen.IsZero() && d.clock.Now().Sub(d.stolen) > 60*time.Hour {
					d.repairs()
				} else {
					d.moves()
				}
				d.judges()
				d.passes(time.Duration(d.random.IntN(10)) * time.Hour)
			}
			d.lastWord()
		})
	}
}

// others returns the other addresses of the account, without the kept ones.
func (d *duel) others() []string {
	d.Helper()
	list, err := d.Owner.Addresses(d.Context(), d.id)
	if err != nil {
		d.fail("%v", err)
	}
	var all []string
	for _, o := range list {
		if o.Own() {
			all = append(all, o.Address.Mail)
		}
	}
	return all
}

// primary returns the primary address.
func (d *duel) primary() string {
	d.Helper()
	a, _ := d.credentials()
	return a.Address.Mail
}

// proves adds an address, or makes it the primary one.
func (d *duel) proves(address string, recovery bool) {
	d.Helper()
	r, err := d.Owner.ChangeAddress(d.Context(), d.Caller, d.found(), address, recovery)
	if !d.did("asks for "+address, r, err) {
		return
	}
	r, err = d.Flows.VerifyCode(d.Context(), d.Caller, r.FlowID, d.awaits("confirm-address"))
	d.did(fmt.Sprintf("has %s, for a recovery: %v", address, recovery), r, err)
}

// presses does something with an address that the account has.
func (d *duel) presses(what int, address string) {
	d.Helper()
	do := []func() (flow.Result, error){
		func() (flow.Result, error) { return d.Owner.MakePrimary(d.Context(), d.Caller, d.found(), address) },
		func() (flow.Result, error) { return d.Owner.SetRecovery(d.Context(), d.Caller, d.found(), address) },
		func() (flow.Result, error) { return d.Owner.RemoveAddress(d.Context(), d.Caller, d.found(), address) },
	}
	r, err := do[what]()
	d.did([]string{"primary ", "recovery ", "removes "}[what]+address, r, err)
}

// moves is a move of the thief, or one of the owner.
func (d *duel) moves() {
	d.Helper()
	some := fmt.Sprintf("thief%d@example.org", d.random.IntN(3))
	switch others := d.others(); d.random.IntN(8) {
	case 0, 1:
		if some != d.primary() {
			d.proves(some, d.random.IntN(2) == 0)
		}
	case 2, 3, 4:
		if len(others) > 0 {
			d.presses(d.random.IntN(3), others[d.random.IntN(len(others))])
		}
	case 5:
		d.chooses()
	case 6:
		d.repairs()
	case 7:
		if len(d.alarms) > 0 {
			d.alarmed(d.alarms[d.random.IntN(len(d.alarms))])
		}
	}
}

// chooses changes the password.
func (d *duel) chooses() {
	d.Helper()
	chosen := fmt.Sprintf("%s of %d", good, len(d.done))
	r, err := d.Owner.ChangePassword(d.Context(), d.Caller, d.found(), chosen, chosen)
	if d.did("password", r, err) {
		d.password = chosen
	}
}

// repairs gives the account its addresses back on the pages, as an owner does.
func (d *duel) repairs() {
	d.Helper()
	switch {
	case d.primary() == mara:
	case slices.Contains(d.others(), mara):
		d.presses(0, mara)
	default:
		d.proves(mara, false)
	}
	for _, address := range d.others() {
		if address != safe {
			d.presses(2, address)
		}
	}
	d.chooses()
	if left := d.theirs(); left != "" {
		d.fail("the owner cannot repair the account: %s", left)
	}
}

// alarmed presses a button, and reports whether it worked.
func (d *duel) alarmed(each raising) bool {
	d.Helper()
	r, err := d.Flows.RaiseAlarm(d.Context(), d.Caller, each.token)
	if !d.did("alarm of "+each.at.Format(time.DateTime), r, err) {
		return false
	}
	d.resets("the reset after it", r)
	if left := d.theirs(); left != "" {
		d.fail("after the alarm of the owner, the thief has %s", left)
	}
	return true
}

// theirs returns the addresses of the thief that the account has.
func (d *duel) theirs() string {
	d.Helper()
	all := slices.DeleteFunc(append(d.others(), d.primary()), func(address string) bool { return address == mara || address == safe })
	return strings.Join(all, ", ")
}

// judges looks at the emails. Those to the thief have no link.
func (d *duel) judges() {
	d.Helper()
	d.reads()
	for _, each := range d.alarms {
		if each.to != mara && each.to != safe {
			d.fail("%s gets a link", each.to)
		}
	}
	switch {
	case d.theirs() == "":
		d.stolen = time.Time{}
	case d.stolen.IsZero():
		d.stolen = d.clock.Now()
	}
}

// lastWord takes the account back with nothing but the mailbox of the owner, and leaves the
// thief nothing.
func (d *duel) lastWord() {
	d.Helper()
	if d.theirs() == "" {
		return
	}
	all := slices.Clone(d.alarms)
	slices.Reverse(all)
	if !slices.ContainsFunc(all, d.alarmed) {
		d.fail("no link of the owner works")
	}
	for n := range 3 {
		d.passes(24 * time.Hour)
		if _, err := d.Flows.Recover(d.Context(), d.Caller, fmt.Sprintf("thief%d@example.org", n), flow.Target{}); err != nil {
			d.fail("%v", err)
		}
		for _, m := range d.reads() {
			if m.Data["code"] != "" {
				d.fail("%s recovers the account", m.To)
			}
		}
	}
}

package flow

import (
	"context"
)

// waiting returns the flow in which a sign-in waits for an answer of its owner.
func (e entry) waiting() (Pending, data) {
	return Pending{
			AccountID: e.account.ID, Version: e.account.FlowVersion(), AddressKey: e.account.Address.Key, ReturnTo: e.returnTo.String(),
		}, data{
			Address: e.account.Address.Mail, Methods: e.methods, ProvenAt: e.at, StrongAt: e.strongAt,
			Announce: e.announce, JoinFlow: e.joinFlow, MakesPasskeys: e.makesPasskeys,
		}
}

// goOn continues a sign-in that has waited in a flow.
func (f *Flows) goOn(ctx context.Context, tx Tx, c Caller, owner judged, p Pending, d data) (Result, error) {
	r, err := f.admitted(ctx, tx, c, f.waited(owner, p, d))
	if err == nil && r.Session != nil {
		r.Next, err = f.afterFactor(ctx, tx, owner.ID, d.Methods[len(d.Methods)-1], r.Next)
	}
	return r, err
}

// waited returns the sign-in that has waited in a flow.
func (f *Flows) waited(owner judged, p Pending, d data) entry {
	return entry{
		account: owner, returnTo: f.target(p), methods: d.Methods, at: d.ProvenAt, strongAt: d.StrongAt,
		joinFlow: d.JoinFlow, announce: d.Announce, makesPasskeys: d.MakesPasskeys,
	}
}

// strengthened is waited with a second factor that was given now.
func (f *Flows) strengthened(owner judged, p Pending, d data, method string) entry {
	e := f.waited(owner, p, d)
	e.methods, e.at = append(e.methods, method), f.clock.Now()
	e.strongAt = e.at
	return e
}

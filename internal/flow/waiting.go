package flow

import (
	"cmp"
	"context"
	"slices"
	"time"

	"portico/internal/federation"
	"portico/internal/pages"
	"portico/internal/session"
)

// ask begins a step that asks for what a sign-in or a sign-up lacks. Its row keeps what is
// proven so far. The browser goes to the page of the step.
func (f *core) ask(ctx context.Context, tx Tx, c Caller, p Pending, d data) (Result, error) {
	value, fresh := browser(c)
	p, err := f.begin(ctx, tx, p, d, value)
	return Result{Next: p.page(), FlowID: p.ID, BrowserCookie: fresh}, err
}

// page returns the page of a flow that asks for what a sign-in lacks.
func (p Pending) page() string {
	page := map[Step]string{Factor: pages.MFA, Keep: pages.Keep, Accept: pages.Terms, Protect: pages.Protect}[p.Step]
	return pages.Flow(page, p.ID)
}

// unanswered returns a flow of ask. If its step is done, r is the response: the browser that is
// signed in by the step goes on, for example after a double click.
//
// Faults: Unknown, Moved.
func (f *Flows) unanswered(ctx context.Context, c Caller, flowID string, kind Kind) (p Pending, r Result, done bool, err error) {
	p, _, err = f.look(ctx, c, flowID)
	switch {
	case err != nil:
		return p, r, false, err
	case p.Kind != kind:
		return p, r, false, Unknown
	case p.Step != Done:
		return p, r, false, nil
	}
	found, err := f.Session(ctx, c.Session)
	if err == nil && found.User.ID == p.AccountID {
		return p, Result{Next: f.settings.Targets.Or(f.target(p))}, true, nil
	}
	if err := ignore(err, session.Required); err != nil {
		return p, r, false, err
	}
	return p, r, false, Moved
}

// answer ends the step of a flow of ask. do carries it out, in the transaction of the step.
//
// Faults: Unknown, Moved.
func (f *Flows) answer(ctx context.Context, c Caller, flowID string, kind Kind, do func(tx Tx, c Caller, p Pending, d data) (Result, error)) (Result, error) {
	p, r, done, err := f.unanswered(ctx, c, flowID, kind)
	if err != nil || done {
		return r, err
	}
	err = f.making(ctx, c, func(tx Tx, c Caller) error {
		p, d, err := f.at(ctx, tx, c, p.ID, p.Step)
		if err != nil {
			return err
		}
		if err := f.advance(ctx, tx, p, Done); err != nil {
			return err
		}
		r, err = do(tx, c, p, d)
		return err
	})
	return f.settled(r, p.AccountID, err)
}

// pending returns the flow in which a sign-in waits for an answer of its owner.
func (e entry) pending() (Pending, data) {
	return Pending{
			AccountID: e.account.ID, Version: e.account.FlowVersion(), AddressKey: e.account.Address.Key, ReturnTo: e.returnTo.String(),
		}, data{
			Address: e.account.Address.Mail, Methods: e.methods, ProvenAt: e.at, StrongAt: e.strongAt,
			Announce: e.announce, Trust: e.trust, JoinFlow: e.joinFlow, MakesPasskeys: e.makesPasskeys, Through: e.through,
		}
}

// resume continues a sign-in that has waited in a flow.
func (f *Flows) resume(ctx context.Context, tx Tx, c Caller, owner judged, p Pending, d data) (Result, error) {
	r, err := f.admitted(ctx, tx, c, f.entryOf(owner, p, d))
	if err == nil && r.Session != nil {
		r.Next, err = f.afterFactor(ctx, tx, owner.ID, d.Methods[len(d.Methods)-1], r.Next)
	}
	return r, err
}

// entryOf returns the sign-in that has waited in a flow.
func (f *Flows) entryOf(owner judged, p Pending, d data) entry {
	return entry{
		account: owner, returnTo: f.target(p), methods: d.Methods, at: d.ProvenAt, strongAt: f.strongAt(d),
		joinFlow: d.JoinFlow, announce: d.Announce, trust: d.Trust, makesPasskeys: d.MakesPasskeys, through: d.Through,
	}
}

// strongAt returns when a sign-in or a sign-up that has waited gave a second factor. One at a provider counts as long as the
// settings believe it.
func (f *core) strongAt(d data) time.Time {
	said := cmp.Or(d.Through, d.Identity)
	if said == nil || slices.ContainsFunc(d.Methods, ofAccount) ||
		slices.ContainsFunc(f.providers.List(), func(p federation.Provider) bool { return p.ID == said.Provider && p.Strong }) {
		return d.StrongAt
	}
	return time.Time{}
}

// strengthened is entryOf with a second factor that was given now.
func (f *Flows) strengthened(owner judged, p Pending, d data, method string) entry {
	e := f.entryOf(owner, p, d)
	e.methods, e.at = append(e.methods, method), f.clock.Now()
	e.strongAt = e.at
	return e
}

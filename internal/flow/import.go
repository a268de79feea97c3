package flow

import (
	"context"
	"errors"
	"slices"

	"portico/internal/masterkey"
	"portico/internal/people"
)

// Import says how people are taken.
type Import struct {
	DryRun      bool                                         // look, and write nothing
	Update      bool                                         // change accounts that differ
	KeepSubject bool                                         // keep what the other system calls a person
	Hash        func(text string) (stored string, err error) // what is stored of the hash of a password
	Seen        *Seen                                        // the people of the calls before this one, or nil
}

// MostImported returns how many people one call of Import takes, so that other writes wait briefly. To change a person takes
// 20 statements, and there are some for each webhook: with a database in another data center, more would exceed the
// time of a request. A dry run changes nothing and causes no events.
func (f *Operator) MostImported(how Import) int {
	const most, mostRead, mostChanged = 200, 25, 5
	switch {
	case how.DryRun && how.Update:
		return mostRead
	case how.DryRun:
		return most
	case how.Update:
		return mostChanged
	}
	return max(mostChanged, most/(1+len(f.record.events.Hooks())))
}

// Outcome is what became of a person.
type Outcome string

const (
	Created   Outcome = "created"
	Unchanged Outcome = "unchanged" // the account exists
	Changed   Outcome = "changed"
	Refused   Outcome = "refused"
)

// Imported is what became of a person, in the order of the people.
type Imported struct {
	Outcome Outcome
	Problem *people.Problem // of a refused person
	Left    []string        // kinds of what was left out
	Changes []string        // the changed fields
	Has     []string        // of Traits
}

// Import makes accounts of people, in one transaction. It sends no email and causes none later. A
// person whose address has an account changes nothing, or with Update what differs: so a run
// that was stopped can simply be started again. Nobody who is refused leaves a trace.
//
// Faults: as acts. A dry run asks for no fresh proof.
func (f *Operator) Import(ctx context.Context, by Actor, all []people.Person, how Import) ([]Imported, error) {
	return f.bring(ctx, by, all, how, func(Tx, []Imported) error { return nil })
}

// bring is Import with something more in the same transaction, unless it is a dry run.
func (f *Operator) bring(ctx context.Context, by Actor, all []people.Person, how Import, more func(tx Tx, done []Imported) error) (done []Imported, err error) {
	sealing, arrivals := f.master.ID(), make([]*arrival, len(all))
	for i, p := range all {
		arrivals[i] = f.arrive(by, p, how)
	}
	var touched []string
	if how.DryRun {
		err = f.store.Read(ctx, func(tx Tx) error {
			if err := f.stillAdmin(ctx, tx, by); err != nil {
				return err
			}
			done, _, err = f.settle(ctx, tx, by, arrivals, how)
			return err
		})
		return done, err
	}
	err = f.acts(ctx, by, func(tx Tx) error {
		if err := mustSeal(ctx, tx, sealing); err != nil {
			return err
		}
		if done, touched, err = f.settle(ctx, tx, by, arrivals, how); err != nil {
			return err
		}
		return more(tx, done)
	})
	for _, id := range touched {
		f.sessions.Forget(id)
	}
	return done, err
}

var errKeyChanged = errors.New("the master key was changed meanwhile: the next run of the import goes on with the new one")

// mustSeal returns an error if the key with which people were sealed is a former one. A change of the master key waits for
// nodes and for this transaction, and not for a command, whose rows it would miss.
func mustSeal(ctx context.Context, tx Tx, id string) error {
	if err := tx.HoldKeyCheck(ctx); err != nil {
		return err
	}
	formers, err := tx.FormerKeys(ctx)
	if err == nil && slices.ContainsFunc(formers, func(f masterkey.Former) bool { return f.ID == id }) {
		err = errKeyChanged
	}
	return err
}

// settle finds what exists, and writes the rest.
func (f *Operator) settle(ctx context.Context, tx Tx, by Actor, arrivals []*arrival, how Import) (done []Imported, touched []string, err error) {
	found, err := f.meet(ctx, tx, arrivals, !how.DryRun)
	if err != nil {
		return nil, nil, err
	}
	if how.DryRun {
		how.Seen.tell(found, arrivals)
	}
	var fresh []Newcomer
	for _, a := range arrivals {
		problem := a.problem
		if problem == nil {
			problem = found.clash(a)
		}
		existing := found.accounts[a.Account.Address.Key]
		if problem == nil && existing == nil {
			problem = by.mayMake(a)
		}
		one := Imported{Outcome: Created, Left: a.left, Has: a.traits()}
		switch {
		case problem != nil:
		case existing == nil:
			found.add(a)
			fresh = append(fresh, a.Newcomer)
		case !how.Update:
			one.Outcome = Unchanged
		default:
			if one.Changes, problem, err = f.renewPerson(ctx, tx, by, *existing, a, how.DryRun); err != nil {
				return nil, nil, err
			}
			if slices.Contains(one.Changes, "identities") {
				found.join(a, existing.ID)
			}
			one.Left = a.left
			if one.Outcome = Unchanged; len(one.Changes) > 0 {
				one.Outcome, touched = Changed, append(touched, existing.ID)
			}
			if err := f.leaveApps(ctx, tx, existing.ID, a, &one); err != nil {
				return nil, nil, err
			}
		}
		if problem != nil {
			one.Outcome, one.Problem = Refused, problem
		}
		done = append(done, one)
	}
	if how.DryRun {
		how.Seen.learn(found)
		return done, nil, nil
	}
	if err := tx.InsertNewcomers(ctx, fresh, f.clock.Now()); err != nil {
		return nil, nil, err
	}
	for _, n := range fresh {
		if err := f.record.tell(ctx, tx, n.Fact); err != nil {
			return nil, nil, err
		}
	}
	return done, touched, nil
}

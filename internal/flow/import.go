package flow

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"portico/internal/account"
	"portico/internal/people"
)

// Import says how people are taken.
type Import struct {
	DryRun      bool                                         // look, and write nothing
	Update      bool                                         // change accounts that differ
	KeepSubject bool                                         // keep what the other system calls a person
	Hash        func(text string) (stored string, err error) // what is stored of the hash of a password
}

// MostImported returns how many people one call of Import takes, so that other writes wait briefly. To change a person takes
// many statements, as do the events for each webhook, and with a database on another machine more would exceed the
// time of a request. A dry run causes no events.
func (f *Operator) MostImported(how Import) int {
	most := 200
	if how.Update {
		most = 25
	}
	if how.DryRun {
		return most
	}
	return max(5, most/(1+len(f.record.events.Hooks())))
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
	arrivals := make([]*arrival, len(all))
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

// settle finds what exists, and writes the rest.
func (f *Operator) settle(ctx context.Context, tx Tx, by Actor, arrivals []*arrival, how Import) (done []Imported, touched []string, err error) {
	found, err := f.meet(ctx, tx, arrivals)
	if err != nil {
		return nil, nil, err
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

// met is what the database has already of the people of a call. It grows by those who are made, and by the identities that
// others get.
type met struct {
	accounts    map[string]*account.Account // by canonical address
	kept        map[string]string           // other addresses: which account has them
	identities  map[account.Subject]string
	subjects    map[string]string // by value
	credentials map[string]string
	here        map[string]bool // accounts of this call
}

// meet reads what exists.
func (f *Operator) meet(ctx context.Context, tx Tx, arrivals []*arrival) (m met, err error) {
	var primary, all []string
	var credentials [][]byte
	identities, subjects := map[string][]string{}, []string(nil)
	for _, a := range arrivals {
		if a.problem != nil {
			continue
		}
		primary = append(primary, a.Account.Address.Key)
		for _, o := range a.Others {
			all = append(all, o.Address.Key)
		}
		for _, i := range a.Identities {
			identities[i.Issuer] = append(identities[i.Issuer], i.Subject)
		}
		if s := a.Subject; s.Value != "" {
			subjects = append(subjects, s.Value)
		}
		for _, k := range a.Passkeys {
			credentials = append(credentials, k.Credential)
		}
	}
	all = append(all, primary...)
	m = met{accounts: map[string]*account.Account{}, identities: map[account.Subject]string{}, subjects: map[string]string{}, here: map[string]bool{}}
	known, err := tx.AccountsByKey(ctx, all)
	for i := range known {
		m.accounts[known[i].Address.Key] = &known[i]
	}
	if err == nil {
		m.kept, err = tx.KeptByKey(ctx, all, f.clock.Now())
	}
	if err == nil {
		m.credentials, err = tx.KnownCredentials(ctx, credentials)
	}
	if err == nil {
		err = m.readSubjects(ctx, tx, identities, subjects)
	}
	return m, err
}

func (m met) readSubjects(ctx context.Context, tx Tx, identities map[string][]string, subjects []string) error {
	for _, issuer := range slices.Sorted(maps.Keys(identities)) {
		found, err := tx.IdentitiesAt(ctx, issuer, identities[issuer])
		if err != nil {
			return err
		}
		for _, i := range found {
			m.identities[account.Subject{Issuer: i.Issuer, Value: i.Subject}] = i.AccountID
		}
	}
	found, err := tx.ImportedAs(ctx, subjects)
	for _, i := range found {
		m.subjects[i.Subject.Value] = i.AccountID
	}
	return err
}

// clash returns why a person cannot have what others have already.
func (m met) clash(a *arrival) *people.Problem {
	key, id := a.Account.Address.Key, ""
	if existing := m.accounts[key]; existing != nil {
		if id = existing.ID; m.here[id] {
			return twiceInFile(people.Person{Email: a.Account.Address.Mail})
		}
	}
	taken := func(field, value, owner string) *people.Problem {
		if owner == "" || owner == id {
			return nil
		}
		return &people.Problem{Field: field, Value: people.Short(value), Reason: "belongs to another account"}
	}
	problem := taken("email", a.Account.Address.Mail, m.kept[key])
	for _, o := range a.Others {
		owner := m.kept[o.Address.Key]
		if primary := m.accounts[o.Address.Key]; primary != nil {
			owner = primary.ID
		}
		problem = cmp.Or(problem, taken("addresses", o.Address.Mail, owner))
	}
	for _, i := range a.Identities {
		problem = cmp.Or(problem, taken("identities", i.Subject, m.identities[account.Subject{Issuer: i.Issuer, Value: i.Subject}]))
	}
	for _, k := range a.Passkeys {
		problem = cmp.Or(problem, taken("passkeys", "", m.credentials[string(k.Credential)]))
	}
	return cmp.Or(problem, taken("subject.value", a.Subject.Value, m.subjects[a.Subject.Value]))
}

// add notes the addresses, identities and so on that a person gets who is made by this call.
func (m met) add(a *arrival) {
	id := a.Account.ID
	m.accounts[a.Account.Address.Key], m.here[id] = &a.Account, true
	for _, o := range a.Others {
		m.kept[o.Address.Key] = id
	}
	m.join(a, id)
	for _, k := range a.Passkeys {
		m.credentials[string(k.Credential)] = id
	}
	if a.Subject.Value != "" {
		m.subjects[a.Subject.Value] = id
	}
}

// join notes that an account has the identities of a person.
func (m met) join(a *arrival, id string) {
	for _, i := range a.Identities {
		m.identities[account.Subject{Issuer: i.Issuer, Value: i.Subject}] = id
	}
}

package flow

import (
	"context"
	"maps"
	"slices"

	"portico/internal/account"
	"portico/internal/people"
)

// unique is what one account alone can have.
type unique struct{ kind, issuer, value string }

// The kinds of what is unique. ofLine is the address of a line, whatever became of the line.
const (
	ofAddress  = "address"
	ofIdentity = "identity"
	ofPasskey  = "passkey"
	ofSubject  = "subject"
	ofLine     = "line"
)

// possession is something unique of a person, and how a Problem names it.
type possession struct {
	unique
	field, shown string
}

// possessions returns what of a person no other account can have.
func (a *arrival) possessions() []possession {
	address := func(field string, of account.Address) possession {
		return possession{unique{ofAddress, "", of.Key}, field, of.Mail}
	}
	all := []possession{address("email", a.Account.Address)}
	for _, o := range a.Others {
		all = append(all, address("addresses", o.Address))
	}
	for _, i := range a.Identities {
		all = append(all, possession{unique{ofIdentity, i.Issuer, i.Subject}, "identities", i.Subject})
	}
	for _, k := range a.Passkeys {
		all = append(all, possession{unique{ofPasskey, "", string(k.Credential)}, "passkeys", ""})
	}
	if s := a.Subject.Value; s != "" {
		all = append(all, possession{unique{ofSubject, "", s}, "subject.value", s})
	}
	return all
}

// met is what the database has already of the people of a call. It grows by those who are made, and by the identities that
// others get.
type met struct {
	accounts map[string]*account.Account // by canonical address
	owners   map[unique]string           // which account has it
	here     map[string]bool             // accounts that this call makes or gives an identity
}

// meet reads what exists. If hold, it holds the addresses.
func (f *Operator) meet(ctx context.Context, tx Tx, arrivals []*arrival, hold bool) (met, error) {
	var addresses, subjects []string
	var credentials [][]byte
	identities := map[string][]string{} // subjects, by issuer
	for _, a := range arrivals {
		if a.problem != nil {
			continue
		}
		for _, p := range a.possessions() {
			switch p.kind {
			case ofAddress:
				addresses = append(addresses, p.value)
			case ofIdentity:
				identities[p.issuer] = append(identities[p.issuer], p.value)
			case ofPasskey:
				credentials = append(credentials, []byte(p.value))
			case ofSubject:
				subjects = append(subjects, p.value)
			}
		}
	}
	m := met{map[string]*account.Account{}, map[unique]string{}, map[string]bool{}}
	if hold {
		if err := tx.HoldAddresses(ctx, addresses); err != nil {
			return m, err
		}
	}
	known, err := tx.AccountsByKey(ctx, addresses)
	for i, a := range known {
		m.accounts[a.Address.Key], m.owners[unique{ofAddress, "", a.Address.Key}] = &known[i], a.ID
	}
	if err == nil {
		err = m.owned(ofAddress)(tx.KeptByKey(ctx, addresses, f.clock.Now()))
	}
	if err == nil {
		err = m.owned(ofPasskey)(tx.KnownCredentials(ctx, credentials))
	}
	if err == nil {
		err = m.readSubjects(ctx, tx, identities, subjects)
	}
	return m, err
}

// owned returns what notes who has something of a kind.
func (m met) owned(kind string) func(owners map[string]string, err error) error {
	return func(owners map[string]string, err error) error {
		for value, id := range owners {
			m.owners[unique{kind, "", value}] = id
		}
		return err
	}
}

func (m met) readSubjects(ctx context.Context, tx Tx, identities map[string][]string, subjects []string) error {
	for _, issuer := range slices.Sorted(maps.Keys(identities)) {
		found, err := tx.IdentitiesAt(ctx, issuer, identities[issuer])
		if err != nil {
			return err
		}
		for _, i := range found {
			m.owners[unique{ofIdentity, i.Issuer, i.Subject}] = i.AccountID
		}
	}
	found, err := tx.ImportedAs(ctx, subjects)
	for _, i := range found {
		m.owners[unique{ofSubject, "", i.Subject.Value}] = i.AccountID
	}
	return err
}

// clash returns why a person cannot have what others have already.
func (m met) clash(a *arrival) *people.Problem {
	id := ""
	if existing := m.accounts[a.Account.Address.Key]; existing != nil {
		if id = existing.ID; m.here[id] {
			return twiceInFile(people.Person{Email: a.Account.Address.Mail})
		}
	}
	for _, p := range a.possessions() {
		if owner := m.owners[p.unique]; owner != "" && owner != id {
			return &people.Problem{Field: p.field, Value: people.Short(p.shown), Reason: "belongs to another account"}
		}
	}
	return nil
}

// add notes what a person gets who is made by this call.
func (m met) add(a *arrival) {
	id := a.Account.ID
	m.accounts[a.Account.Address.Key], m.here[id] = &a.Account, true
	for _, p := range a.possessions() {
		m.owners[p.unique] = id
	}
}

// join notes that an account has the identities of a person.
func (m met) join(a *arrival, id string) {
	m.here[id] = true
	for _, p := range a.possessions() {
		if p.kind == ofIdentity {
			m.owners[p.unique] = id
		}
	}
}

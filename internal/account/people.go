package account

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"portico/internal/fault"
	"portico/internal/legible"
)

// By is what the text of a Query is.
type By string

const (
	ByAddress       By = "address"        // a whole address, also another one of the account
	ByAddressPrefix By = "address-prefix" // the beginning of the primary address
	ByNamePrefix    By = "name-prefix"
)

// Factors is a condition on second factors and passkeys.
type Factors string

const (
	NoFactor   Factors = "none"
	AnyFactor  Factors = "any"
	HasPasskey Factors = "passkey"
	NoPasskey  Factors = "no-passkey"
	HasApp     Factors = "totp"
)

// Verified is a condition on the primary address.
type Verified string

const (
	IsVerified  Verified = "yes"
	NotVerified Verified = "no" // nobody has proven it, as ImportedStore says
)

// Query says which people a page has. Its zero values leave conditions out.
type Query struct {
	Text        string
	By          By
	Role        string
	State       State // Leaving finds all who are to be erased, also by an operator; DisabledByOperator does not
	Factors     Factors
	Verified    Verified
	CreatedFrom time.Time // inclusive
	CreatedTo   time.Time // exclusive
	SeenBefore  time.Time // also people who were never seen
	After       string    // Page.Next of the page before
	Limit       int
}

// MostPeople is the greatest Limit of a Query.
const MostPeople = 500

// Person is an account in a list.
type Person struct {
	Account
	Apps          int // authenticator apps
	Passkeys      int
	RecoveryCodes int       // that are left
	SeenAt        time.Time // of the last use of a session, at most an hour too early; zero: not known
	EraseAt       time.Time // when it is erased; zero unless its owner or an operator has deleted it
}

// Page is a part of a list of people.
type Page struct {
	People []Person
	Next   string // Query.After of the next page; "" at the end
	// Partial is set if the search has looked at as many people as one page may cost. The
	// page has all matches among them, and the next page looks at the others.
	Partial bool
	Places  []string // Query.After of the page that begins after each of the people
}

// PeopleStore is what lists of people need of the database.
type PeopleStore interface {
	// People returns the page of a checked query at now, or BadCursor.
	People(ctx context.Context, q Query, now time.Time) (Page, error)
	// InsertApplicant notes an account that waits for an approval, for TakeApplicants.
	InsertApplicant(ctx context.Context, accountID string) error
	// TakeApplicants forgets up to limit accounts that InsertApplicant has noted, and returns how many of these
	// still wait.
	TakeApplicants(ctx context.Context, limit int) (int, error)
	// IndexPeople compares up to limit accounts, in the order of their ids after the given
	// one, with what the list is searched by, and mends it. It returns the last id, and ""
	// at the end.
	IndexPeople(ctx context.Context, after string, limit int) (last string, err error)
}

// BadCursor says that Query.After is not of a page with the same conditions.
var BadCursor = fault.InvalidFields(fault.Field{Name: "after", Code: CodeQueryInvalid})

// Choices returns the values of the fields of the admin API that take one of a few, other
// than none.
func Choices() map[string][]string {
	return map[string][]string{
		"state":    words(States()...),
		"factor":   words(NoFactor, AnyFactor, HasPasskey, NoPasskey, HasApp),
		"verified": words(IsVerified, NotVerified),
		"by":       words(ByAddress, ByAddressPrefix, ByNamePrefix),
	}
}

func words[T ~string](all ...T) (texts []string) {
	for _, one := range all {
		texts = append(texts, string(one))
	}
	return texts
}

// Checked returns the query with its text in the form that is searched for. The fault, if
// any, belongs to a field of the admin API.
func (q Query) Checked() (Query, *fault.Field) {
	q.Text = legible.Trim(q.Text)
	choices := Choices()
	one := func(name, value string) bool { return value == "" || slices.Contains(choices[name], value) }
	for _, c := range []struct {
		fine bool
		name string
	}{
		{0 < q.Limit && q.Limit <= MostPeople, "limit"},
		{len(q.After) <= 2048, "after"},
		{one("state", string(q.State)), "state"},
		{one("factor", string(q.Factors)), "factor"},
		{one("verified", string(q.Verified)), "verified"},
		{one("by", string(q.By)), "by"},
		{(q.By == "") == (q.Text == "") && len(q.Text) <= 8*maxName, "q"},
	} {
		if !c.fine {
			return q, &fault.Field{Name: c.name, Code: CodeQueryInvalid}
		}
	}
	switch q.By {
	case ByAddress:
		address, bad := ParseAddress(q.Text, "q")
		q.Text = address.Key
		return q, bad
	case ByAddressPrefix:
		q.Text = lowerASCII(q.Text)
	case ByNamePrefix:
		q.Text = NameKey(q.Text)
	}
	return q, nil
}

// NameKey returns the form of a name by which it is found.
func NameKey(name string) string { return strings.ToLower(norm.NFC.String(name)) }

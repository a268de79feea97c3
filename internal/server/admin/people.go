package admin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/server"
	"portico/internal/server/form"
)

// AdminPeople is a page of the list of people.
type AdminPeople struct {
	People []AdminRow `json:"people"`
	Next   string     `json:"next,omitempty"` // the parameter after of the next page
	// Searched says that the page has fewer people because the search reached its bound.
	Searched bool `json:"searched,omitempty"`
}

// AdminRow is a person in a list.
type AdminRow struct {
	ID        string      `json:"id"`
	Address   string      `json:"address"`
	Name      string      `json:"name"`
	State     string      `json:"state" enum:"active disabled leaving waiting"`
	Roles     []string    `json:"roles"`
	Factors   AdminCounts `json:"factors"`
	CreatedAt form.Moment `json:"created_at"`
	SeenAt    form.Moment `json:"seen_at" empty:"true"`   // exact to an hour, "" if the person was not seen
	ErasedAt  form.Moment `json:"erased_at" empty:"true"` // when the account is to be erased, "" if it is not
}

// AdminCounts has what a person signs in with besides the password.
type AdminCounts struct {
	Apps     int `json:"totp"`
	Passkeys int `json:"passkeys"`
	Codes    int `json:"recovery_codes"`
}

func rowOf(p account.Person) AdminRow {
	return AdminRow{
		ID: p.ID, Address: p.Address.Mail, Name: p.Name, State: string(p.State), Roles: filled(p.Roles),
		Factors: AdminCounts{p.Apps, p.Passkeys, p.RecoveryCodes}, CreatedAt: form.MomentOf(p.CreatedAt), SeenAt: form.MomentOf(p.SeenAt), ErasedAt: form.MomentOf(p.EraseAt),
	}
}

const (
	fewRows  = 25
	mostRows = 100
)

// queryOf are the names of the parameters of the list, which filter reads.
var queryOf = []string{"q", "by", "role", "state", "factor", "verified", "created_from", "created_to", "seen_before", "after", "limit"}

// filter reads the query of the list of people. A parameter that is given twice or unknown
// is refused, because a link with a typing error would show other people than it says.
func filter(query url.Values) (account.Query, error) {
	values, err := parameters(query, queryOf)
	if err != nil {
		return account.Query{}, err
	}
	q := account.Query{
		Text: values["q"], By: account.By(values["by"]), Role: values["role"], State: account.State(values["state"]),
		Factors: account.Factors(values["factor"]), Verified: account.Verified(values["verified"]), After: values["after"],
	}
	if q.Limit, err = limitOf(values["limit"]); err != nil {
		return q, err
	}
	for name, to := range map[string]*time.Time{"created_from": &q.CreatedFrom, "created_to": &q.CreatedTo, "seen_before": &q.SeenBefore} {
		if *to, err = timeOf(values[name]); err != nil {
			return q, wrongParameter(name)
		}
	}
	return q, nil
}

// paging reads the query of a list in the order of ids, which may have more parameters.
func paging(r *http.Request, more ...string) (values map[string]string, limit int, err error) {
	values, err = parameters(r.URL.Query(), append(more, "after", "limit"))
	if err == nil {
		limit, err = limitOf(values["limit"])
	}
	if err == nil && strings.Trim(values["after"], "0123456789_abcdefghijklmnopqrstuvwxyz") != "" { // ids have no others
		err = wrongParameter("after")
	}
	return values, limit, err
}

// limitOf parses the parameter limit.
func limitOf(text string) (int, error) {
	if text == "" {
		return fewRows, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostRows {
		return 0, wrongParameter("limit")
	}
	return n, nil
}

// timeOf parses a time of a request: RFC 3339, or a day in UTC.
func timeOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return at, nil
	}
	return time.Parse(time.RFC3339, text)
}

// checkQuery refuses a query with other parameters than an operation has. http.Request would leave out what it
// cannot read, and the list would have everybody.
func checkQuery(r *http.Request, known []string) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return server.Malformed.WithCause(err)
	}
	_, err = parameters(query, known)
	return err
}

// parameters returns the parameters of a query, each of which must be known, given once, and a text that a database can
// compare with.
func parameters(query url.Values, known []string) (map[string]string, error) {
	values := map[string]string{}
	for _, name := range known {
		list := query[name]
		delete(query, name)
		if len(list) == 0 {
			continue
		}
		if len(list) > 1 || !utf8.ValidString(list[0]) || strings.ContainsRune(list[0], 0) {
			return nil, wrongParameter(name)
		}
		values[name] = list[0]
	}
	for name := range query {
		return nil, server.MalformedField(name, server.CodeFieldUnknown)
	}
	return values, nil
}

func wrongParameter(name string) error {
	return server.MalformedField(name, server.CodeFieldValue)
}

func (a *Admin) people(r *http.Request, _ flow.Actor) (AdminPeople, error) {
	q, err := filter(r.URL.Query())
	if err != nil {
		return AdminPeople{}, err
	}
	list, err := a.Operator.People(r.Context(), q)
	page := AdminPeople{People: each(list.People, rowOf), Next: list.Next, Searched: list.Partial}
	return page, err
}

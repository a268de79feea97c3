package admin

import (
	"net/http"
	"strconv"

	"portico/internal/account"
	"portico/internal/server"
	"portico/internal/server/form"
)

// AdminPeople is a page of the list of people.
type AdminPeople struct {
	People []AdminRow `json:"people"`
	Next   string     `json:"next,omitempty"` // the parameter after of the next page
}

// AdminRow is a person in a list.
type AdminRow struct {
	ID        string      `json:"id"`
	Address   string      `json:"address"`
	Name      string      `json:"name"`
	State     string      `json:"state"`
	Roles     []string    `json:"roles"`
	CreatedAt form.Moment `json:"created_at"`
}

func rowOf(a account.Account) AdminRow {
	return AdminRow{
		ID: a.ID, Address: a.Address.Mail, Name: a.Name, State: string(a.State), Roles: append([]string{}, a.Roles...), CreatedAt: form.MomentOf(a.CreatedAt),
	}
}

const (
	fewRows  = 25
	mostRows = 100
)

// rowsOf returns how many rows a list has.
func rowsOf(r *http.Request) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return fewRows, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostRows {
		return 0, server.Malformed
	}
	return n, nil
}

func (a *Admin) people(r *http.Request) (AdminPeople, error) {
	limit, err := rowsOf(r)
	if err != nil {
		return AdminPeople{}, err
	}
	list, err := a.Operator.Users(r.Context(), r.URL.Query().Get("after"), limit)
	page := AdminPeople{People: []AdminRow{}}
	for _, each := range list {
		page.People = append(page.People, rowOf(each))
	}
	if len(list) == limit {
		page.Next = list[limit-1].Address.Key
	}
	return page, err
}

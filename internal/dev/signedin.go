package dev

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/claim"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/rule"
	"portico/internal/server"
	"portico/internal/session"
	"portico/internal/store"
)

// wanted is who is to be signed in, and how. An account that exists gets what is given, and keeps the rest.
type wanted struct {
	Email    string          `json:"email"` // "" for an account with an address of its own
	Name     string          `json:"name"`
	Password string          `json:"password"` // "" for none
	Roles    []string        `json:"roles"`
	Claims   json.RawMessage `json:"claims"`
	Methods  []string        `json:"methods"`
	ACR      string          `json:"acr"`
	Age      string          `json:"age"` // of the newest proof
}

// signedIn is the person who is signed in now.
type signedIn struct {
	ID              string    `json:"id"`
	Email           string    `json:"email"`
	Name            string    `json:"name"`
	Roles           []string  `json:"roles"`
	Methods         []string  `json:"methods"`
	ACR             string    `json:"acr"`
	AuthenticatedAt time.Time `json:"authenticated_at"`
	Mail            int       `json:"mail"` // number of the newest email in the mailbox
}

// session signs a person in without a proof. Nothing else in the program can.
func (t *tester) session(w http.ResponseWriter, r *http.Request) (any, error) {
	var in wanted
	if err := read(r, &in); err != nil {
		return nil, err
	}
	begun, err := in.proven(t.time.Now())
	if err != nil {
		return nil, err
	}
	if len(in.Roles) > 32 || slices.ContainsFunc(in.Roles, func(role string) bool { return !rule.ValidRole(role) }) {
		return nil, wrong("roles: write at most 32 names in lower-case letters, digits and . _ : -")
	}
	last := 0
	if t.box != nil {
		last = t.box.Last()
	}
	owner, err := t.person(r.Context(), in)
	if err != nil {
		return nil, err
	}
	begun.UserAgent, begun.Peer = "portico dev", server.PeerNetwork(server.ClientAddr(r)).String()
	token := ""
	err = t.app.Store.Write(r.Context(), func(tx *store.Tx) error {
		if owner, err = in.give(r.Context(), tx, owner.ID, t.time.Now()); err != nil {
			return err
		}
		begun.AccountID, begun.Version = owner.ID, owner.Version
		if token, begun, err = t.app.Sessions.Start(r.Context(), tx, begun); err != nil {
			return err
		}
		return audit.NewRecord(t.time).Add(r.Context(), tx, audit.Fact{
			Name: audit.SignedIn, AccountID: owner.ID, Actor: audit.Self, Peer: begun.Peer, UserAgent: begun.UserAgent,
			RequestID: server.RequestID(r.Context()), Detail: strings.Join(begun.Methods, ","),
		})
	})
	if err != nil {
		return nil, err
	}
	t.app.Sessions.Forget(owner.ID)
	server.NewCookie(t.public, "session").Write(w, token, begun.ExpiresAt.Sub(t.time.Now())+session.Remembered)
	acr := "1"
	if begun.Strong() {
		acr = "2"
	}
	return signedIn{
		owner.ID, owner.Address.Mail, owner.Name, append([]string{}, owner.Roles...), begun.Methods, acr, begun.AuthenticatedAt, last,
	}, nil
}

// second are the methods that are a second factor.
var second = []string{"totp", "recovery_code", "passkey"}

// proven returns the session as the proofs of a sign-in would have made it.
func (in wanted) proven(now time.Time) (s session.Session, err error) {
	age, ok := time.Duration(0), true
	if in.Age != "" {
		age, ok = config.ParseDuration(in.Age)
	}
	if !ok || age < 0 {
		return s, wrong("age: write how long ago the proof was given, such as 30m, 8h or 2d")
	}
	s.Methods, s.AuthenticatedAt = in.Methods, now.Add(-age)
	switch {
	case len(s.Methods) > 0:
	case in.ACR == "2":
		s.Methods = []string{"password", "totp"}
	default:
		s.Methods = []string{"password"}
	}
	for _, m := range s.Methods {
		if !slices.Contains([]string{"password", "mail", "operator_link"}, m) && !slices.Contains(second, m) && !strings.HasPrefix(m, "provider:") {
			return s, wrong("methods: write password, mail, operator_link, provider:ID, totp, recovery_code or passkey")
		}
	}
	strong := slices.ContainsFunc(s.Methods, func(m string) bool { return slices.Contains(second, m) })
	if !slices.Contains([]string{"", "1", "2"}, in.ACR) || in.ACR == "1" && strong {
		return s, wrong(`acr: write "2" for a sign-in with a second factor, and "1" for one without`)
	}
	if strong || in.ACR == "2" { // a provider may have asked for it
		s.StrongAt = s.AuthenticatedAt
	}
	return s, nil
}

// person returns the account of the address, and creates it if there is none. Without an address it creates one
// that no other test has.
func (t *tester) person(ctx context.Context, in wanted) (account.Account, error) {
	if in.Email == "" {
		in.Email = "test-" + ids.New() + "@example.com"
	}
	made, err := t.app.Operator.CreateUser(ctx, flow.ByOperator, in.Email, in.Name, in.Password, in.Roles...)
	if !errors.Is(err, account.Exists) {
		return made, err
	}
	found, err := t.app.Operator.User(ctx, in.Email)
	if err != nil || in.Password == "" {
		return found, err
	}
	same, _, err := t.app.Passwords.Verify(ctx, found.Password, in.Password)
	if err == nil && !same {
		err = refusal{http.StatusConflict, "password: this person exists and has another one: leave it out, or the address"}
	}
	return found, err
}

// give changes the account without telling its owner, so that the next email in the mailbox is one that the test has
// caused.
//
// Faults: account.Missing, account.Disabled, account.Ended.
func (in wanted) give(ctx context.Context, tx *store.Tx, id string, now time.Time) (a account.Account, err error) {
	a, ok, err := tx.AccountByID(ctx, id)
	if err == nil && !ok {
		err = account.Missing
	}
	if err == nil {
		err = a.Refusal(now)
	}
	if err == nil && in.Name != "" && in.Name != a.Name {
		name, bad := account.ParseName(in.Name)
		if bad != nil {
			return a, wrong("name: " + bad.Code)
		}
		a.Name = name
		err = tx.UpdateName(ctx, id, name)
	}
	if err == nil && in.Roles != nil {
		a.Roles = slices.Compact(slices.Sorted(slices.Values(in.Roles)))
		err = tx.UpdateRoles(ctx, id, a.Roles)
	}
	if err == nil && in.Claims != nil {
		text, bad := claim.Parse(string(in.Claims))
		if bad != nil {
			return a, wrong("claims: " + bad.Why)
		}
		err = tx.UpdateClaims(ctx, id, text)
	}
	return a, err
}

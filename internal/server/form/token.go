package form

import (
	"net/http"
	"strings"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/session"
)

// MakeToken makes a personal access token. EndToken ends one.
type (
	MakeToken struct {
		Account string `json:"account"`
		Nonce   string `json:"nonce"`
		Name    string `json:"name"`
		App     string `json:"app"`
		Role    string `json:"role,omitempty"`
		Days    string `json:"days"`
	}
	EndToken struct {
		Account string `json:"account"`
		ID      string `json:"id"`
	}
)

// TokenEnded is the message about the step before.
const TokenEnded = "token_ended"

// MakeToken is the action of the form for a new token. The next page shows it once, by a cookie.
func (a *Actions) MakeToken(w http.ResponseWriter, r *http.Request, in MakeToken) (string, error) {
	found, err := a.signedInAs(w, r, in.Account)
	if err != nil {
		return "", err
	}
	text, err := a.owner.MakeToken(r.Context(), a.Caller(w, r), found, flow.TokenAsk{Nonce: in.Nonce, Name: in.Name, App: in.App, Role: in.Role, Days: in.Days})
	if err != nil {
		return "", err
	}
	a.made.Write(w, found.User.ID+"."+text, doneLife)
	return pages.Tokens, nil
}

// Made returns the token that the account has just made in this browser, once, or "".
func (a *Actions) Made(w http.ResponseWriter, r *http.Request, account string) string {
	value, ok := a.made.Read(w, r)
	if !ok {
		return ""
	}
	a.made.Clear(w)
	owner, text, _ := strings.Cut(value, ".")
	if owner != account {
		return ""
	}
	return text
}

// EndToken is the action of the button that ends a token.
func (a *Actions) EndToken(w http.ResponseWriter, r *http.Request, in EndToken) (string, error) {
	return a.ownStep(w, r, in.Account, pages.Tokens, TokenEnded, func(c flow.Caller, found session.Found) (flow.Result, error) {
		return flow.Result{}, a.owner.EndToken(r.Context(), c, found, in.ID)
	})
}

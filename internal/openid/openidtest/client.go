package openidtest

import (
	"net/url"

	"portico/internal/secret"
)

const (
	Secret   = "a secret of twenty-four characters and more"
	Back     = "https://rp.test/cb"
	Verifier = "a-verifier-of-at-least-forty-three-characters" // of PKCE
)

// Change returns the parameters with changes: an empty value removes one.
func Change(q url.Values, changes ...string) url.Values {
	for i := 0; i < len(changes); i += 2 {
		if changes[i+1] == "" {
			q.Del(changes[i])
		} else {
			q.Set(changes[i], changes[i+1])
		}
	}
	return q
}

// Request is a valid authorization request, with changes.
func Request(changes ...string) url.Values {
	return Change(url.Values{
		"client_id": {"rp"}, "redirect_uri": {Back}, "response_type": {"code"}, "scope": {"openid profile email"},
		"state": {"s t&<a>"}, "nonce": {"n"}, "code_challenge": {Challenge(Verifier)}, "code_challenge_method": {"S256"},
	}, changes...)
}

// Challenge returns the code challenge of a verifier.
func Challenge(verifier string) string { return secret.Encode(secret.Hash(verifier)) }

// Redemption is a valid form for a code, with changes.
func Redemption(code string, changes ...string) url.Values {
	return Change(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {Back}, "code_verifier": {Verifier},
		"client_id": {"rp"}, "client_secret": {Secret},
	}, changes...)
}

// Refresh is a valid form for a refresh token, with changes.
func Refresh(token string, changes ...string) url.Values {
	return Change(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"rp"}, "client_secret": {Secret}}, changes...)
}

// Answer is what the endpoints answer to a client.
type Answer struct {
	Error   string   `json:"error"`
	Access  string   `json:"access_token"`
	Refresh string   `json:"refresh_token"`
	ID      string   `json:"id_token"`
	Scope   string   `json:"scope"`
	Active  bool     `json:"active"`
	Sub     string   `json:"sub"`
	Email   string   `json:"email"`
	Nonce   string   `json:"nonce"`
	Left    int      `json:"expires_in"`
	Name    string   `json:"request_uri"`
	Client  string   `json:"client_id"`
	Aud     []string `json:"aud"`
	Type    string   `json:"token_type"`
	Cnf     struct{ Jkt string }

	Device   string `json:"device_code"`
	User     string `json:"user_code"`
	Page     string `json:"verification_uri"`
	Complete string `json:"verification_uri_complete"`
	Interval int    `json:"interval"`
}

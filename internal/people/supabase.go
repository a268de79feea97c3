package people

import (
	"cmp"
	"encoding/json"
	"net/url"
	"time"
)

// supabase is a row of auth.users, to which the query of docs/operating/exports.md adds the rows
// of auth.identities and auth.mfa_factors.
type supabase struct {
	ID        string          `json:"id"`
	Email     string          `json:"email"`
	Hash      string          `json:"encrypted_password" secret:"yes" brings:"passwords"`
	Confirmed instant         `json:"email_confirmed_at"`
	Seen      instant         `json:"last_sign_in_at"`
	Created   instant         `json:"created_at"`
	Banned    string          `json:"banned_until"`
	Deleted   string          `json:"deleted_at"`
	App       json.RawMessage `json:"raw_app_meta_data"`
	User      json.RawMessage `json:"raw_user_meta_data"`
	Factors   []struct {
		Type    string  `json:"factor_type"`
		Status  string  `json:"status"`
		Secret  string  `json:"secret" secret:"yes"`
		Name    string  `json:"friendly_name"`
		Created instant `json:"created_at"`
	} `json:"mfa_factors" brings:"authenticator apps"`
	Identities []struct {
		Provider string          `json:"provider"`
		Subject  string          `json:"provider_id"`
		Data     json.RawMessage `json:"identity_data"`
	} `json:"identities" brings:"identities"`
}

func supabasePerson(o Options, e *supabase, at *Place) (Person, error) {
	var user struct {
		Name string `json:"name"`
		Full string `json:"full_name"`
	}
	_ = json.Unmarshal(e.User, &user) // the app chooses its form
	p := Person{
		Subject: o.subject(e.ID), Email: e.Email, EmailVerified: e.Confirmed > 0, Name: cmp.Or(user.Full, user.Name),
		CreatedAt: e.Created.time(), SeenAt: e.Seen.time(), Claims: claims(e.App), Password: e.Hash,
	}
	until, ok := parseInstant(e.Banned)
	p.State = state(boolean(e.Deleted != "" || e.Banned != "" && (!ok || !until.Before(p.SeenAt)))) // or signed in since
	for _, f := range e.Factors {
		if f.Type != "totp" || f.Status != "verified" {
			at.ignore("mfa_factors of type " + f.Type + ", " + f.Status)
			continue
		}
		p.TOTP = append(p.TOTP, TOTP{Secret: f.Secret, Name: f.Name, CreatedAt: f.Created.time()})
	}
	for _, i := range e.Identities {
		if i.Provider == "email" || i.Provider == "phone" {
			continue
		}
		if issuer := supabaseIssuer(i.Data); issuer != "" && i.Subject != "" && o.Parameters["issuer."+i.Provider] == "" {
			p.Identities = append(p.Identities, Identity{Issuer: issuer, Subject: i.Subject})
			continue
		}
		o.identity(&p, at, i.Provider, i.Subject)
	}
	return p, nil
}

// supabaseIssuer returns the issuer of an identity. Of providers without OpenID Connect, Supabase has the address of the API.
// That of a GitHub or GitLab of the operator is its own, so the name of the provider says less.
func supabaseIssuer(identity json.RawMessage) string {
	var data struct {
		Issuer string `json:"iss"`
	}
	_ = json.Unmarshal(identity, &data) // it may be missing
	at, _ := url.Parse(data.Issuer)
	if at == nil {
		return ""
	}
	return cmp.Or(map[string]string{
		"api.bitbucket.org": "https://bitbucket.org", "api.github.com": "https://github.com", "api.spotify.com": "https://accounts.spotify.com",
		"discord.com": "https://discord.com", "graph.facebook.com": "https://www.facebook.com", "www.googleapis.com": "https://accounts.google.com",
	}[at.Host], data.Issuer)
}

func parseInstant(text string) (time.Time, bool) {
	var i instant
	err := i.UnmarshalJSON([]byte(text))
	return i.time(), err == nil && i > 0
}

package people

import "cmp"

// zitadel is a person in the export of an instance (POST /admin/v1/export).
type zitadel struct {
	ID   string `json:"userId"`
	User struct {
		Username string `json:"userName"`
		Profile  struct {
			First   string `json:"firstName"`
			Last    string `json:"lastName"`
			Display string `json:"displayName"`
			Locale  string `json:"preferredLanguage"`
		} `json:"profile"`
		Email struct {
			Email    string `json:"email"`
			Verified bool   `json:"isEmailVerified"`
		} `json:"email"`
		Hash struct {
			Value string `json:"value" secret:"yes"`
		} `json:"hashedPassword" brings:"passwords"`
		Given      bool   `json:"passwordChangeRequired"`
		Seed       string `json:"otpCode" secret:"yes" brings:"authenticator apps"`
		Identities []struct {
			Provider string `json:"configId"`
			Subject  string `json:"externalUserId"`
		} `json:"idps" brings:"identities"` // as the command of docs/operating/exports.md puts them there
	} `json:"user"`
}

func zitadelPerson(o Options, e *zitadel, at *Place) (Person, error) {
	u := e.User
	p := Person{
		Subject: o.subject(e.ID), Email: u.Email.Email, EmailVerified: u.Email.Verified, Name: cmp.Or(u.Profile.Display, full(u.Profile.First, u.Profile.Last)),
		Locale: u.Profile.Locale, Password: u.Hash.Value,
	}
	if u.Given {
		p.dropGiven(at, "passwordChangeRequired")
	}
	if u.Seed != "" {
		p.TOTP = []TOTP{{Secret: u.Seed}}
	}
	for _, i := range u.Identities {
		o.identity(&p, at, i.Provider, i.Subject)
	}
	return p, nil
}

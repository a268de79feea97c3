package people

import "cmp"

// cognito is a user in CSV, with the columns of the import form of Amazon Cognito. Cognito gives
// no hashes and no seeds.
type cognito struct {
	Username string  `json:"cognito:username"`
	ID       string  `json:"sub"`
	Name     string  `json:"name"`
	Given    string  `json:"given_name"`
	Family   string  `json:"family_name"`
	Email    string  `json:"email"`
	Verified boolean `json:"email_verified"`
	Locale   string  `json:"locale"`
	Updated  instant `json:"updated_at"` // not the time of a sign-in
}

func cognitoPerson(o Options, e *cognito, _ *Place) (Person, error) {
	return Person{
		Subject: o.subject(cmp.Or(e.ID, e.Username)), Email: e.Email, EmailVerified: bool(e.Verified),
		Name: cmp.Or(e.Name, full(e.Given, e.Family)), Locale: e.Locale,
	}, nil
}

package people

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// firebase is a user in the file of firebase auth:export.
type firebase struct {
	ID        string  `json:"localId"`
	Email     string  `json:"email"`
	Verified  boolean `json:"emailVerified"`
	Hash      string  `json:"passwordHash" secret:"yes" brings:"passwords"`
	Salt      string  `json:"salt" secret:"yes"`
	Name      string  `json:"displayName"`
	Seen      instant `json:"lastSignedInAt"`
	Created   instant `json:"createdAt"`
	Disabled  boolean `json:"disabled"`
	Claims    string  `json:"customAttributes"` // JSON
	Providers []struct {
		Provider string `json:"providerId"`
		Subject  string `json:"rawId"`
		Email    string `json:"email"`
		Name     string `json:"displayName"`
		Photo    string `json:"photoUrl"`
	} `json:"providerUserInfo"`

	Google   string `json:"google"` // the rest is of CSV
	Facebook string `json:"facebook"`
	GitHub   string `json:"github"`
}

// firebaseHash returns the hash with the parameters of the project.
func firebaseHash(o Options, salt, hash string) (string, error) {
	var values []string
	for _, name := range []string{"mem_cost", "rounds", "salt_separator", "signer_key"} {
		if o.Parameters[name] == "" {
			return "", fmt.Errorf("the export does not have the parameter %s of its hashes: copy base64_signer_key, base64_salt_separator, rounds and mem_cost from the Firebase console", name)
		}
		values = append(values, o.Parameters[name])
	}
	return phc("firebase-scrypt", fmt.Sprintf("ln=%s,r=%s", values[0], values[1]), salt, values[2], values[3], hash), nil
}

func firebasePerson(o Options, e *firebase, at *Place) (Person, error) {
	p := Person{
		Subject: o.subject(e.ID), Email: e.Email, EmailVerified: bool(e.Verified), Name: e.Name, State: state(e.Disabled),
		CreatedAt: e.Created.time(), SeenAt: e.Seen.time(), Claims: claims(json.RawMessage(e.Claims)),
	}
	for _, i := range e.Providers {
		if i.Provider != "password" && i.Provider != "phone" {
			o.identity(&p, at, i.Provider, i.Subject)
		}
	}
	for _, i := range []struct{ provider, subject string }{{"google.com", e.Google}, {"facebook.com", e.Facebook}, {"github.com", e.GitHub}} {
		if i.subject != "" {
			o.identity(&p, at, i.provider, i.subject)
		}
	}
	if e.Hash == "" {
		return p, nil
	}
	var err error
	if p.Password, err = firebaseHash(o, e.Salt, e.Hash); err != nil {
		return p, &Problem{Field: "passwordHash", Reason: err.Error()}
	}
	return p, nil
}

// firebaseColumns are the columns of CSV, which has no line with their names.
func firebaseColumns() []string {
	return strings.Fields(`localId email emailVerified passwordHash salt displayName photoUrl
		google googleEmail googleDisplayName googlePhotoUrl facebook facebookEmail facebookDisplayName facebookPhotoUrl
		twitter twitterEmail twitterDisplayName twitterPhotoUrl github githubEmail githubDisplayName githubPhotoUrl
		createdAt lastSignedInAt phoneNumber disabled customAttributes providerUserInfo`)
}

func openFirebase(r io.Reader, o Options) (Reader, error) {
	in, err := text(r)
	if err != nil {
		return nil, err
	}
	if begins(in) == '{' {
		return openJSON(`{"users":[%s]}`, firebasePerson, "users")(in, o)
	}
	c, names := &records{lines: lines{in: in}}, firebaseColumns()
	return &export[firebase]{o: o, found: map[string]bool{"passwordHash": true}, person: firebasePerson, next: func() ([]byte, Place, error) {
		line, at, err := c.raw()
		if err != nil {
			return nil, at, err
		}
		values, err := split(line)
		if err == nil && (len(values) < 26 || len(values) > len(names)) {
			err = &Problem{Reason: fmt.Sprintf("has %d values: firebase auth:export writes 26 to %d", len(values), len(names))}
		}
		if err != nil {
			return nil, at, err
		}
		return object(names[:len(values)], values), at, nil
	}}, nil
}

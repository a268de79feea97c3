package people

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// mostYAML is the largest file of Authelia. YAML is read whole.
const mostYAML = 16 << 20

// authelia is what users_database.yml has, and behind a line with --- the exports of
// authelia storage user totp export and authelia storage user webauthn export.
type authelia struct {
	Users map[string]struct {
		Disabled bool     `yaml:"disabled"`
		Name     string   `yaml:"displayname"`
		Hash     string   `yaml:"password"`
		Email    string   `yaml:"email"`
		Groups   []string `yaml:"groups"`
		Locale   string   `yaml:"locale"`

		Rest map[string]any `yaml:",inline"`
	} `yaml:"users"`
	Apps []struct {
		Username  string `yaml:"username"`
		Algorithm string `yaml:"algorithm"`
		Digits    int    `yaml:"digits"`
		Period    int    `yaml:"period"`
		Secret    string `yaml:"secret"`
	} `yaml:"totp_configurations"`
	Keys []struct {
		Username string `yaml:"username"`
		RPID     string `yaml:"rpid"`
		Name     string `yaml:"description"`
		ID       string `yaml:"kid"`
		AAGUID   string `yaml:"aaguid"`
		Count    int64  `yaml:"sign_count"`
		Eligible bool   `yaml:"backup_eligible"`
		BackedUp bool   `yaml:"backup_state"`
		Key      string `yaml:"public_key"`
	} `yaml:"webauthn_credentials"`
}

// listed are people that were read whole.
type listed struct {
	people []Person
	places []Place
	lacks  map[string]string
}

func (l *listed) missing() map[string]string { return l.lacks }

// Next implements Reader.
func (l *listed) Next() (Person, Place, error) {
	if len(l.people) == 0 {
		return Person{}, Place{}, io.EOF
	}
	p, at := l.people[0], l.places[0]
	l.people, l.places = l.people[1:], l.places[1:]
	return p, at, nil
}

func openAuthelia(r io.Reader, o Options) (Reader, error) {
	in, err := text(r)
	if err != nil {
		return nil, err
	}
	bounded := &io.LimitedReader{R: in, N: mostYAML + 1}
	d := yaml.NewDecoder(bounded)
	var all authelia
	for {
		var part authelia
		err := d.Decode(&part)
		if bounded.N == 0 {
			return nil, fmt.Errorf("the file is longer than %d bytes", mostYAML)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the file is not the YAML of Authelia: check that it is whole, and its indentation") // the error has values
		}
		if all.Users == nil {
			all.Users = part.Users
		}
		all.Apps, all.Keys = append(all.Apps, part.Apps...), append(all.Keys, part.Keys...)
	}
	return all.people(o), nil
}

func (a authelia) people(o Options) *listed {
	l := &listed{lacks: map[string]string{}}
	if len(a.Apps) == 0 {
		l.lacks["totp_configurations"] = "authenticator apps"
	}
	if len(a.Keys) == 0 {
		l.lacks["webauthn_credentials"] = "security keys"
	}
	for _, username := range slices.Sorted(maps.Keys(a.Users)) {
		u, at := a.Users[username], Place{Entry: fmt.Sprintf("user %q", Short(username))}
		p := Person{
			Subject: o.subject(username), Email: u.Email, EmailVerified: true, Name: u.Name, Locale: u.Locale, State: state(boolean(u.Disabled)),
			Roles: u.Groups, Password: u.Hash,
		}
		for _, field := range slices.Sorted(maps.Keys(u.Rest)) {
			at.ignore(field)
		}
		for _, app := range a.Apps {
			if app.Username == username {
				p.TOTP = append(p.TOTP, TOTP{Secret: app.Secret, Digits: app.Digits, Period: app.Period, Algorithm: app.Algorithm})
			}
		}
		for _, k := range a.Keys {
			if k.Username == username {
				o.passkey(&p, &at, Passkey{
					RPID: k.RPID, ID: urlSafe(k.ID), PublicKey: urlSafe(k.Key), SignCount: k.Count, AAGUID: k.AAGUID,
					BackupEligible: k.Eligible, BackedUp: k.BackedUp, Name: k.Name,
				})
			}
		}
		l.people, l.places = append(l.people, p), append(l.places, at)
	}
	return l
}

package people

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

const (
	mostYAML  = 16 << 20 // bytes of a file, which is read whole
	leastYAML = 12       // bytes of a value with its name: Authelia's have 22 and more
)

// values is the most values that a YAML text can have, each with its name. One of two bytes takes 200 of memory.
func values(text []byte) (n int) {
	for i, c := range text {
		switch c {
		case ',', '[', '{':
			n++
		case ':', '-', '?':
			if i+1 == len(text) || bytes.IndexByte([]byte(" \t\n,[]{}\"'"), text[i+1]) >= 0 {
				n++
			}
		}
	}
	return n
}

// authelia is what users_database.yml has, and behind a line with --- the exports of
// authelia storage user totp export and authelia storage user webauthn export.
type authelia struct {
	Users map[string]autheliaUser `yaml:"users"`
	Apps  []autheliaApp           `yaml:"totp_configurations"`
	Keys  []struct {
		Username string `yaml:"username"`
	} `yaml:"webauthn_credentials"`
}

type autheliaUser struct {
	Disabled boolean  `yaml:"disabled"`
	Name     string   `yaml:"displayname"`
	Hash     string   `yaml:"password"`
	Email    string   `yaml:"email"`
	Groups   []string `yaml:"groups"`
	Locale   string   `yaml:"locale"`

	Rest map[string]any `yaml:",inline"`
}

type autheliaApp struct {
	Username  string `yaml:"username"`
	Algorithm string `yaml:"algorithm"`
	Digits    int    `yaml:"digits"`
	Period    int    `yaml:"period"`
	Secret    string `yaml:"secret"`
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
	whole, err := io.ReadAll(io.LimitReader(in, mostYAML+1))
	switch {
	case err != nil:
		return nil, err
	case len(whole) > mostYAML:
		return nil, fmt.Errorf("the file is longer than %d bytes", mostYAML)
	case values(whole) > MostColumns+len(whole)/leastYAML:
		return nil, errors.New("the file has more values than the YAML of Authelia has in so many bytes")
	}
	d := yaml.NewDecoder(bytes.NewReader(whole))
	var all authelia
	for {
		var part authelia
		err := d.Decode(&part)
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
	apps, keys := map[string][]TOTP{}, map[string]bool{}
	for _, app := range a.Apps {
		apps[app.Username] = append(apps[app.Username], TOTP{Secret: app.Secret, Digits: app.Digits, Period: app.Period, Algorithm: app.Algorithm})
	}
	for _, k := range a.Keys {
		keys[k.Username] = true
	}
	for _, username := range slices.Sorted(maps.Keys(a.Users)) {
		u, at := a.Users[username], Place{Entry: fmt.Sprintf("user %q", Short(username))}
		p := Person{
			Subject: o.subject(username), Email: u.Email, EmailVerified: true, Name: u.Name, Locale: u.Locale, State: state(u.Disabled),
			Roles: append([]string{}, u.Groups...), Password: u.Hash, TOTP: apps[username],
		}
		for _, field := range slices.Sorted(maps.Keys(u.Rest)) {
			at.ignore(field)
		}
		if keys[username] {
			at.ignore(noHandle)
		}
		l.people, l.places = append(l.people, p), append(l.places, at)
	}
	return l
}

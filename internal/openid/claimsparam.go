package openid

import (
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4/json"

	"portico/internal/clock"
)

// The places of claims that a request can ask for one by one (OpenID Connect Core 5.5).
// With the name of a claim behind it, a place is an element of Request.Claims.
const (
	inUserInfo = "userinfo."
	inIDToken  = "id_token."
)

// demand is what a request says about one claim (OpenID Connect Core 5.5.1).
type demand struct {
	essential bool
	values    []string // that it may have: texts
	other     bool     // it names another value, which is not a string
}

// readClaims reads the parameter claims. A claim that the client may not have, or that does
// not exist, is left out. A wrong form is an error, and so is a value of sub or acr that is
// no text: without it, the request would be answered for any user, or at any level.
func (r *Request) readClaims(text string) error {
	all, ok := readMembers([]byte(text))
	if !ok {
		return invalidRequest("claims must be a JSON object without duplicate members")
	}
	for _, place := range []string{inUserInfo, inIDToken} {
		asked, err := all.demands(place[:len(place)-1])
		if err != nil {
			return err
		}
		if asked["sub"].other || asked["acr"].other {
			return invalidRequest("claims: the values of sub and acr must be strings")
		}
		for _, name := range Claims() {
			_, is := asked[name]
			if is && name == claimPicture && place == inIDToken {
				continue // an ID token never has it
			}
			scope := scopeOf(name)
			given := place == inUserInfo && slices.Contains(r.Scopes, scope)
			if is && !given && slices.Contains(r.Client.Scopes, scope) {
				r.Claims = append(r.Claims, place+name)
			}
		}
		if err := r.only(asked["sub"].values); err != nil {
			return err
		}
		if place == inIDToken {
			if err := r.readLevel(asked["acr"]); err != nil {
				return err
			}
			r.Timed = asked["auth_time"].essential
		}
	}
	return nil
}

// demands returns what is asked for in one place.
func (m members) demands(place string) (map[string]demand, error) {
	var raw members
	if m[place] != nil && json.Unmarshal(m[place], &raw) != nil {
		return nil, invalidRequest("claims: " + place + " must be a JSON object without duplicate members")
	}
	asked := make(map[string]demand, len(raw))
	for name, text := range raw {
		var said members
		if json.Unmarshal(text, &said) != nil {
			return nil, invalidRequest("claims: a claim must be null or a JSON object without duplicate members")
		}
		d := demand{}
		var values []json.RawMessage
		switch {
		case said["essential"] != nil && json.Unmarshal(said["essential"], &d.essential) != nil:
			return nil, invalidRequest("claims: essential must be true or false")
		case said["values"] != nil && json.Unmarshal(said["values"], &values) != nil:
			return nil, invalidRequest("claims: values must be a list")
		}
		if said["value"] != nil {
			values = append(values, said["value"])
		}
		for _, value := range values {
			var s *string
			if json.Unmarshal(value, &s) != nil || s == nil {
				d.other = true
				continue
			}
			d.values = append(d.values, *s)
		}
		asked[name] = d
	}
	return asked, nil
}

// only narrows the users that the request is for. None of them in the list means any.
func (r *Request) only(users []string) error {
	switch {
	case len(users) == 0:
		return nil
	case len(r.Users) == 0:
		r.Users = users
		return nil
	}
	r.Users = slices.DeleteFunc(slices.Clone(r.Users), func(u string) bool { return !slices.Contains(users, u) })
	if len(r.Users) == 0 {
		return invalidRequest("the request asks for two different users")
	}
	return nil
}

// OnlyFor narrows the request to one user, whom id_token_hint names.
func (r *Request) OnlyFor(user string) error { return r.only([]string{user}) }

// For reports whether the request may be answered for a user.
func (r Request) For(user string) bool { return len(r.Users) == 0 || slices.Contains(r.Users, user) }

// readLevel reads which values of acr the ID token must have, or should have.
func (r *Request) readLevel(d demand) error {
	one, two := slices.Contains(d.values, acrOne), slices.Contains(d.values, acrTwo)
	switch {
	case len(d.values) == 0:
	case !d.essential, one && two:
		r.Strong = r.Strong || d.values[0] == acrTwo
	case two:
		r.Level = acrTwo
	case one:
		r.Level = acrOne
	default:
		return &Error{"unmet_authentication_requirements", "acr must be 1 or 2"}
	}
	return nil
}

// Asks returns what the user has to agree to: the granted scopes, the scopes of claims that the
// request names one by one, and the servers that it names. Servers are URLs, so none has the name of a scope.
func (r Request) Asks() []string { return slices.Concat(withClaims(r.Scopes, r.Claims), r.Resources) }

// Asks is Request.Asks for a device.
func (d Device) Asks() []string { return slices.Concat(d.Scopes, d.Resources) }

// scopes returns the scopes of Request.Asks for a grant.
func (g Grant) scopes() []string { return withClaims(g.Scopes, g.Claims) }

func withClaims(scopes, claims []string) []string {
	all := slices.Clone(scopes)
	for _, name := range Claims() {
		scope := scopeOf(name)
		if (slices.Contains(claims, inUserInfo+name) || slices.Contains(claims, inIDToken+name)) && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// Unmet returns an Error if the ID token must say that one proof was given, and the rules of the client ask users with these
// roles for a second factor.
func (r Request) Unmet(roles []string, now time.Time) error {
	if r.Level == acrOne && r.Client.Admits(Standing{Roles: roles, ProvenAt: now}, now) == NotStrong {
		return &Error{"unmet_authentication_requirements", "the rules of the client ask for a second factor, so acr cannot be 1"}
	}
	return nil
}

// TooWeak reports whether the ID token must say that a second factor was given, and none was.
func (r Request) TooWeak(strong bool) bool { return r.Level == acrTwo && !strong }

// Stale reports whether a sign-in is too old for the request. signedIn is zero if a
// provider does not tell, and auth_time cannot be in the ID token then.
func (r Request) Stale(signedIn, now time.Time) bool {
	return r.Timed && signedIn.IsZero() || r.MaxAge >= 0 && (signedIn.IsZero() || now.Sub(signedIn) > r.MaxAge || clock.Ahead(signedIn, now))
}

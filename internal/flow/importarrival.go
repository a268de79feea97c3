package flow

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/claim"
	"portico/internal/factor"
	"portico/internal/ids"
	"portico/internal/passkey"
	"portico/internal/people"
)

// arrival is a person of an import on the way into the database.
type arrival struct {
	Newcomer
	from    people.Person
	left    []string // what of the person was left out
	problem *people.Problem
}

// refuse notes why the person cannot be taken. The first reason counts.
func (a *arrival) refuse(field, value, reason string) {
	if a.problem == nil {
		a.problem = &people.Problem{Field: field, Value: people.Short(value), Reason: reason}
	}
}

// leave notes what was left out.
func (a *arrival) leave(what string) { a.left = append(a.left, what) }

// Traits are what a summary of an import counts, so that nobody moves without seeing what stays behind.
func Traits() []string {
	return []string{"password", "second factor", "passkey", "unproven address", "disabled"}
}

// traits returns which Traits the person has.
func (a *arrival) traits() (has []string) {
	for i, yes := range []bool{a.Account.Password != "", len(a.Factors) > 0, len(a.Passkeys) > 0, a.Unproven, a.Account.State == account.DisabledByOperator} {
		if yes {
			has = append(has, Traits()[i])
		}
	}
	return has
}

// arrive judges a person without a look at the database.
func (f *Operator) arrive(by Actor, p people.Person, how Import) *arrival {
	now := f.clock.Now()
	a := &arrival{Newcomer: Newcomer{Unproven: !p.EmailVerified}, from: p}
	a.Account = account.Account{ID: ids.NewAt(now), State: account.Active, Version: 1, Roles: distinct(p.Roles)}
	a.address(p.Email)
	a.profile(p, f.settings.Locale)
	a.times(p, now)
	a.secrets(p, how)
	if p.Subject != nil && how.KeepSubject {
		f.subject(a, *p.Subject)
	}
	for n, o := range p.Addresses {
		a.other(n, o)
	}
	for n, i := range p.Identities {
		f.identity(a, n, i)
	}
	for n, t := range p.TOTP {
		f.app(a, n, t)
	}
	for n, k := range p.Passkeys {
		f.passkey(a, n, k)
	}
	a.codes(p, how)
	a.Fact = by.fact(audit.AccountImported, a.Account.ID, "")
	a.Fact.At, a.Fact.ID = now, ids.NewAt(now)
	return a
}

func (a *arrival) address(typed string) {
	address, bad := account.ParseAddress(typed, "email")
	if bad != nil {
		a.refuse("email", typed, inEnglish(bad.Code))
	}
	a.Account.Address = address
}

// inEnglish returns the reason of a fault of a field.
func inEnglish(code string) string {
	switch code {
	case account.CodeAddressRequired:
		return "is missing"
	case account.CodeAddressLetters:
		return "has a letter before the @ that is not ASCII, which mail servers refuse"
	case account.CodeAddressTooLong, account.CodeNameTooLong:
		return "is too long"
	case account.CodeNameCharacter:
		return "has a control character or an invisible one"
	}
	return "is not an email address"
}

func (a *arrival) profile(p people.Person, languageOf func(tag string) string) {
	name, bad := account.ParseName(p.Name)
	if bad != nil {
		a.refuse("name", p.Name, inEnglish(bad.Code))
	}
	a.Account.Name = name
	if a.Account.Locale = languageOf(p.Locale); p.Locale != "" && a.Account.Locale == "" {
		a.leave("a language that Portico does not have")
	}
	switch account.State(p.State) {
	case "", account.Active:
	case account.DisabledByOperator:
		a.Account.State = account.DisabledByOperator
	default:
		a.refuse("state", p.State, "must be active or disabled")
	}
	if bad := badRole(p.Roles); bad != nil {
		a.refuse("roles", fmt.Sprint(p.Roles), fmt.Sprintf("must be at most %d names of lower-case letters, digits, and - _ : .", maxRoles))
	}
	claims, reserved := claim.Unreserved(string(p.Claims))
	if reserved { // such as attributes of the former system that are called scope or events
		a.leave("claims whose names have a meaning of their own in tokens")
	}
	text, mistake := claim.Parse(claims)
	if mistake != nil {
		a.refuse("claims", string(p.Claims), mistake.Why)
	}
	a.Account.Claims = text
	switch {
	case p.Terms == nil:
	case len(p.Terms.Version) > 255 || !visible(p.Terms.Version):
		a.leave("accepted terms whose version has more than 255 characters, or others than printable ASCII")
	default:
		a.Account.Terms = account.Terms{Version: p.Terms.Version, AcceptedAt: p.Terms.AcceptedAt.UTC().Truncate(time.Microsecond)}
	}
}

// times takes the times of a person. An end that has come disables the account now, so that the background
// work does not disable it later and tell the owner.
func (a *arrival) times(p people.Person, now time.Time) {
	a.Account.CreatedAt = a.past("created_at", p.CreatedAt, now)
	if a.Account.CreatedAt.IsZero() {
		a.Account.CreatedAt = now
	}
	a.SeenAt = a.past("seen_at", p.SeenAt, now)
	a.Account.EndsAt = a.moment("ends_at", p.EndsAt)
	if a.Account.Ended(now) {
		a.Account.State = account.DisabledByOperator
	}
	if a.Account.Terms.Version != "" {
		a.Account.Terms.AcceptedAt = a.past("terms.accepted_at", a.Account.Terms.AcceptedAt, now)
	}
}

// past returns a time that must not be in the future.
func (a *arrival) past(field string, at, now time.Time) time.Time {
	if at.After(now.Add(24 * time.Hour)) {
		a.refuse(field, at.Format(time.RFC3339), "is in the future")
	}
	if at = a.moment(field, at); at.After(now) {
		return now // another clock
	}
	return at
}

// moment returns a time as the database keeps it.
func (a *arrival) moment(field string, at time.Time) time.Time {
	if !at.IsZero() && (at.Year() < 1970 || at.After(account.Forever)) {
		a.refuse(field, at.Format(time.RFC3339), "must be between the years 1970 and 9999")
	}
	return at.UTC().Truncate(time.Microsecond)
}

// secrets takes the password, whose value no reason shows.
func (a *arrival) secrets(p people.Person, how Import) {
	if p.Password != "" {
		stored, err := how.Hash(p.Password)
		if err != nil {
			a.refuse("password", "", err.Error())
		}
		a.Account.Password = stored
	}
}

// codes takes recovery codes, whose values no reason shows. They replace a second factor, so without one they would
// never be asked for.
func (a *arrival) codes(p people.Person, how Import) {
	if len(p.RecoveryCodes) > 0 && len(a.Factors)+len(a.Passkeys) == 0 {
		a.leave("recovery codes of accounts without a second factor")
		return
	}
	for n, text := range p.RecoveryCodes {
		if slices.Contains(p.RecoveryCodes[:n], text) {
			continue // it would work twice
		}
		if len(a.Codes) == factor.MostMoved {
			a.leave("recovery codes beyond the most that an account may have")
			return
		}
		as, stored, err := spelled(text, how)
		if err != nil {
			a.refuse("recovery_codes["+strconv.Itoa(n)+"]", "", err.Error())
		}
		a.Codes = append(a.Codes, factor.Moved(a.Account.ID, n, as, stored))
	}
}

// spelled returns what is stored of a recovery code, which is clear or a hash.
func spelled(text string, how Import) (as factor.Spelling, stored string, err error) {
	stored, err = how.Hash(text)
	switch {
	case err == nil && strings.HasPrefix(text, "$keyed$"):
		return factor.Kept, stored, nil
	case err == nil && stored == text:
		return factor.Ours, stored, nil
	case err == nil, strings.ContainsAny(text, "${"):
		return factor.There, stored, err
	}
	hash, ok := factor.HashClear(text)
	if !ok {
		return "", "", errors.New("must be a known hash, or have 6 to 64 characters beside blanks and hyphens")
	}
	stored, err = how.Hash(hash)
	return factor.Clear, stored, err
}

func (f *Operator) subject(a *arrival, s people.Subject) {
	if s.Issuer == "" {
		a.refuse("subject.issuer", "", "is missing: name the issuer of the former ids")
	}
	for field, value := range map[string]string{"subject.issuer": s.Issuer, "subject.value": s.Value} {
		if value == "" || len(value) > 255 || !visible(value) {
			a.refuse(field, value, "must have 1 to 255 printable ASCII characters")
		}
	}
	if ids.Valid(s.Value) {
		a.refuse("subject.value", s.Value, "has the form of an id of Portico, which another account may get")
	}
	if _, taken := f.clients.Get(s.Value); taken {
		a.refuse("subject.value", s.Value, "is the id of an OpenID client, whose own tokens have it")
	}
	a.Subject = account.Subject{Issuer: s.Issuer, Value: s.Value}
}

func visible(s string) bool {
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < ' ' || c > '~' })
}

// other takes another address. Portico has only proven ones.
func (a *arrival) other(n int, o people.Address) {
	field := "addresses[" + strconv.Itoa(n) + "]"
	address, bad := account.ParseAddress(o.Email, "email")
	use := account.Use(o.Kind)
	switch {
	case bad != nil:
		a.refuse(field+".email", o.Email, inEnglish(bad.Code))
	case use != "" && use != account.Recovery && use != account.Spare:
		a.refuse(field+".kind", o.Kind, "must be recovery or other")
	case !o.Verified:
		a.leave("other addresses that are not verified")
		return
	case address.Key == a.Account.Address.Key, slices.ContainsFunc(a.Others, func(o account.Other) bool { return o.Address.Key == address.Key }):
		return
	case len(a.Others) == maxAddresses || use == account.Recovery && slices.ContainsFunc(a.Others, func(o account.Other) bool { return o.Use == use }):
		a.leave("other addresses beyond the most that an account may have")
		return
	}
	if use == "" {
		use = account.Spare
	}
	a.Others = append(a.Others, account.Other{AccountID: a.Account.ID, Address: address, Use: use, AddedAt: account.Always, Until: account.Forever})
}

func (f *Operator) identity(a *arrival, n int, i people.Identity) {
	field := "identities[" + strconv.Itoa(n) + "]"
	provider, issuer, known := f.providers.OfIssuer(i.Issuer)
	switch {
	case i.Subject == "" || len(i.Subject) > 255 || !visible(i.Subject):
		a.refuse(field+".subject", i.Subject, "must have 1 to 255 printable ASCII characters")
	case i.Issuer == "":
		a.refuse(field+".issuer", "", "is missing")
	case !known:
		a.leave("identities at " + people.Short(i.Issuer) + ", for which the settings have no provider")
		return
	case slices.ContainsFunc(a.Identities, func(l account.Identity) bool { return l.Issuer == issuer && l.Subject == i.Subject }):
		return
	}
	a.Identities = append(a.Identities, account.Identity{
		Issuer: issuer, Subject: i.Subject, Provider: provider, AccountID: a.Account.ID, CreatedAt: a.since(field+".created_at", i.CreatedAt),
	})
}

// since returns since when the account has something: always, if nothing is said.
func (a *arrival) since(field string, at time.Time) time.Time {
	if at = a.past(field, at, a.Account.CreatedAt.Add(100*365*24*time.Hour)); at.IsZero() {
		return a.Account.CreatedAt
	}
	return at
}

func (f *Operator) app(a *arrival, n int, t people.TOTP) {
	field := "totp[" + strconv.Itoa(n) + "]"
	form := factor.Standard()
	if t.Digits != 0 {
		form.Digits = t.Digits
	}
	if t.Period != 0 {
		form.Period = t.Period
	}
	if t.Algorithm != "" {
		form.Algorithm = t.Algorithm
	}
	s, ok := factor.ParseSecret(t.Secret)
	switch {
	case !ok:
		a.refuse(field+".secret", "", "must be 10 to 128 bytes in base32")
	case !form.Usable():
		a.refuse(field, fmt.Sprintf("%d digits, %d seconds, %s", form.Digits, form.Period, form.Algorithm),
			"must be 6 to 8 digits, 15 to 60 seconds, and SHA1, SHA256 or SHA512")
	case len(a.Factors) == factor.Most:
		a.leave("authenticator apps beyond the most that an account may have")
		return
	}
	if a.problem == nil {
		a.Factors = append(a.Factors, f.factors.Import(a.Account.ID, s, form, a.since(field+".created_at", t.CreatedAt)))
	}
}

func (f *Operator) passkey(a *arrival, n int, k people.Passkey) {
	field := "passkeys[" + strconv.Itoa(n) + "]"
	switch {
	case f.passkeys == nil || k.RPID != f.passkeys.Host():
		a.leave("passkeys for " + people.Short(k.RPID) + ", which is another host")
		return
	case len(a.Passkeys) == passkey.Most:
		a.leave("passkeys beyond the most that an account may have")
		return
	}
	name, bad := account.ParseName(k.Name)
	if bad != nil {
		a.refuse(field+".name", k.Name, inEnglish(bad.Code))
	}
	made, err := f.passkeys.Import(a.Account.ID, passkey.Foreign{
		Credential: k.ID, PublicKey: k.PublicKey, Handle: k.UserHandle, Model: k.AAGUID, Name: name, Transports: k.Transports,
		Counter: k.SignCount, Copies: k.BackupEligible, Copied: k.BackedUp,
	}, a.since(field+".created_at", k.CreatedAt))
	if err != nil {
		a.refuse(field, "", err.Error())
	}
	if !slices.ContainsFunc(a.Passkeys, func(p passkey.Passkey) bool { return bytes.Equal(p.Credential, made.Credential) }) {
		a.Passkeys = append(a.Passkeys, made)
	}
}

package account

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"portico/internal/fault"
	"portico/internal/legible"
)

const (
	maxAddress = 254 // bytes, RFC 5321 4.5.3.1.3 less the angle brackets
	maxLocal   = 64  // bytes, RFC 5321 4.5.3.1.1
	maxLabel   = 63  // bytes, RFC 1035 2.3.4
)

// Address is a mail address that was checked.
type Address struct {
	Mail string // where mail goes: as typed, the domain in its ASCII form
	Key  string // canonical form: two addresses with equal keys are one account
}

// ParseAddress checks an address as typed or pasted, without blanks and invisible
// characters at its ends. It accepts a strict dot-atom grammar (RFC 5322 3.2.3) with a domain of two labels or more. It refuses everything
// that a mail library could read in another way: display names, quotes,
// comments, literals, lists, spaces and non-ASCII local parts (ASVS 1.5.3). It
// turns an international domain into its A-labels.
//
// The fault, if any, belongs to the field name.
func ParseAddress(typed, name string) (Address, *fault.Field) {
	typed = legible.Trim(typed)
	if typed == "" {
		return Address{}, &fault.Field{Name: name, Code: CodeAddressRequired}
	}
	// The length is checked before anything is parsed (SEC-186).
	if len(typed) > maxAddress {
		return Address{}, &fault.Field{Name: name, Code: CodeAddressTooLong}
	}
	invalid := &fault.Field{Name: name, Code: CodeAddressInvalid}
	local, domain, ok := strings.Cut(typed, "@")
	if ok && !isASCII(local) && dotAtom(strings.Map(plain, local)) {
		return Address{}, &fault.Field{Name: name, Code: CodeAddressLetters}
	}
	if !ok || len(local) > maxLocal || !dotAtom(local) {
		return Address{}, invalid
	}
	if !isASCII(domain) {
		// The registration profile maps nothing. A look-alike, such as
		// full-width letters or U+3002 for a dot, is refused and not turned
		// into another name.
		ascii, err := idna.Registration.ToASCII(lowerASCII(domain))
		if err != nil {
			return Address{}, invalid
		}
		domain = ascii
	}
	if !hostName(domain) {
		return Address{}, invalid
	}
	mail := local + "@" + domain
	if len(mail) > maxAddress {
		return Address{}, &fault.Field{Name: name, Code: CodeAddressTooLong}
	}
	return Address{Mail: mail, Key: lowerASCII(mail)}, nil
}

// BaseKey returns the canonical form without a "+tag" in the local part, and without the dots, hyphens and underscores
// that Gmail or Proton ignore: the mailbox that all of these spellings may share. Use it for limits, not for identity.
func BaseKey(key string) string {
	local, domain, _ := strings.Cut(key, "@")
	if base, _, tagged := strings.Cut(local, "+"); tagged && base != "" {
		local = base
	}
	if letters := strings.NewReplacer(".", "", "-", "", "_", "").Replace(local); letters != "" {
		local = letters
	}
	return local + "@" + domain
}

// Display returns an address as its owner writes it, with an international
// domain in Unicode. Show it to the owner only: to other readers such a name
// may look like another one. Masked, mailed and compared addresses keep the
// ASCII form.
func Display(mail string) string {
	local, domain, ok := strings.Cut(mail, "@")
	if domain = lowerASCII(domain); !ok || !strings.Contains(domain, "xn--") {
		return mail
	}
	shown, err := idna.Registration.ToUnicode(domain)
	if err != nil {
		return mail
	}
	// Unless the shown form leads back to the same mailbox, show the ASCII
	// form.
	if back, bad := ParseAddress(local+"@"+shown, ""); bad != nil || back.Key != lowerASCII(mail) {
		return mail
	}
	return local + "@" + shown
}

// Mask hides all of the local part except its first letter: "m•••@example.com".
func Mask(mail string) string {
	local, domain, ok := strings.Cut(mail, "@")
	if !ok || local == "" {
		return ""
	}
	return local[:1] + "•••@" + domain
}

func dotAtom(s string) bool {
	if s == "" || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	if strings.Contains(s, "=?") {
		return false // some mail libraries decode such an encoded word (RFC 2047)
	}
	for i := range len(s) {
		if !atomText(s[i]) && s[i] != '.' {
			return false
		}
	}
	return true
}

// plain returns "a" for a letter or an accent that is not ASCII.
func plain(r rune) rune {
	if r > unicode.MaxASCII && unicode.In(r, unicode.L, unicode.M) {
		return 'a'
	}
	return r
}

// atomText is RFC 5322 atext without "%" and "!", which old relays read as
// routes to another host, and without the backquote, which the mailer refuses:
// mail must reach every accepted address.
func atomText(c byte) bool {
	return letterOrDigit(c) || strings.IndexByte("#$&'*+-/=?^_{|}~", c) >= 0
}

func hostName(s string) bool {
	labels := strings.Split(s, ".")
	if len(labels) < 2 {
		return false
	}
	for _, l := range labels {
		if l == "" || len(l) > maxLabel || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
		for i := range len(l) {
			if !letterOrDigit(l[i]) && l[i] != '-' {
				return false
			}
		}
	}
	// A last label of digits only would be an IP address.
	return strings.Trim(labels[len(labels)-1], "0123456789") != ""
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// lowerASCII folds A-Z only. strings.ToLower would turn U+212A (Kelvin) into
// "k", and so one address into another one (SEC-051).
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

package mailer

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"portico/internal/legible"
)

// valueLimit is the length limit of a name in an email, in code points.
const valueLimit = 60

// wordsLimit is the length limit of what an admin writes in an invitation.
const wordsLimit = 500

var (
	codeForm = regexp.MustCompile(`^[0-9]{4,10}$`)

	// addressForm accepts a dot-atom at a domain name, which is all that package account
	// accepts. It excludes other forms of RFC 5322 (quotes, comments, lists, display
	// names), with which an attacker could reach another recipient.
	addressForm = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$`)
)

// plainAddress reports whether an address is safe in a header and in an SMTP
// command. RFC 5321 4.5.3.1 defines the length limits.
func plainAddress(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return len(address) <= 254 && at <= 64 && addressForm.MatchString(address)
}

// clean returns a value as plain text on one line of at most limit code points.
func clean(value string, limit int) string {
	value = strings.ReplaceAll(legible.Clean(value), "=?", "= ?") // a mail program would decode it (RFC 2047)
	if runes := []rune(value); len(runes) > limit {
		value = strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return value
}

// joint is the zero-width non-joiner (U+200C). It is invisible, and mail
// readers do not treat it as part of a web address.
const joint = "\u200c"

var linkish = regexp.MustCompile(`([.:/@])([\pL\pN/])`)

// unlink prevents mail readers from turning a value into a link.
func unlink(value string) string {
	return linkish.ReplaceAllString(value, "$1"+joint+"$2")
}

// ownLink returns an error unless a link leads to this installation.
func ownLink(link string, public *url.URL) error {
	u, err := url.Parse(link)
	if err != nil {
		return errors.New("a link is malformed") // the error omits the link, which may contain a token
	}
	if u.Scheme != public.Scheme || u.Host != public.Host || u.User != nil {
		return fmt.Errorf("a link leads to %q and not to the public URL", u.Scheme+"://"+clean(u.Host, valueLimit))
	}
	if strings.ContainsFunc(link, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"<>\^`+"`{|}", c) }) {
		return errors.New("a link contains characters that are not allowed in a URL")
	}
	return nil
}

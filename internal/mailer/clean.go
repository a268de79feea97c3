package mailer

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// valueLimit is how many characters a name may have in a mail.
const valueLimit = 60

var (
	codeForm = regexp.MustCompile(`^[0-9]{4,10}$`)

	// addressForm is stricter than RFC 5322: what an address room lets through
	// is a dot-atom at a domain name, and anything else (quotes, comments,
	// lists, display names) is a way to reach somebody else.
	addressForm = regexp.MustCompile(`^[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$`)
)

// plainAddress reports whether an address may be put into a header and an SMTP
// command. The limits are those of RFC 5321 4.5.3.1.
func plainAddress(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return len(address) <= 254 && at <= 64 && addressForm.MatchString(address)
}

// clean returns a value as plain text on one line: without control, format and
// private characters (direction marks, zero-width characters, line breaks),
// with single spaces, and cut to limit characters.
func clean(value string, limit int) string {
	value = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsPrint(c), c == unicode.ReplacementChar:
			return -1
		}
		return c
	}, value)
	value = strings.Join(strings.Fields(value), " ")
	if runes := []rune(value); len(runes) > limit {
		value = strings.TrimSpace(string(runes[:limit-1])) + "…"
	}
	return value
}

// joint is a character that nobody sees and that no mail reader takes as part
// of a web address (U+200C, zero width non-joiner).
const joint = "\u200c"

var linkish = regexp.MustCompile(`([.:/@])([\pL\pN/])`)

// unlink breaks up what a mail reader would turn into a link by itself.
func unlink(value string) string {
	return linkish.ReplaceAllString(value, "$1"+joint+"$2")
}

// ownLink checks that a link of a mail leads to this installation.
func ownLink(link string, public *url.URL) error {
	u, err := url.Parse(link)
	if err != nil {
		return errors.New("a link is malformed") // the link may hold a token
	}
	if u.Scheme != public.Scheme || u.Host != public.Host || u.User != nil {
		return fmt.Errorf("a link leads to %q and not to the public URL", u.Scheme+"://"+clean(u.Host, valueLimit))
	}
	if strings.ContainsFunc(link, func(c rune) bool { return c <= ' ' || c > '~' || strings.ContainsRune(`"<>\^`+"`{|}", c) }) {
		return errors.New("a link holds characters that do not belong into a URL")
	}
	return nil
}

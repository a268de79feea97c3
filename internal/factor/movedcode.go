package factor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// MostMoved is how many recovery codes of another system an account may have. Each check tries all of them.
const MostMoved = 16

// Spelling says in which spelling a recovery code of another system was hashed. It begins the selector of the code,
// and is a character that no selector of our own codes has.
type Spelling string

const (
	Clear Spelling = "+" // not hashed there: without blanks and hyphens, in capitals
	There Spelling = "#" // as the other system hashed it, which may show it in groups
	Kept  Spelling = "=" // stored by a Portico, which had it from another system
	Ours  Spelling = "*" // made by a Portico
)

// Moved returns the row of a recovery code of another system, the nth one of its account.
func Moved(accountID string, n int, as Spelling, hash string) RecoveryCode {
	return RecoveryCode{AccountID: accountID, Selector: string(as) + strconv.Itoa(n), Hash: hash}
}

// moved reports whether the code comes from another system.
func (c RecoveryCode) moved() bool { return strings.ContainsAny(c.Selector, "+#=*") }

// AnyMoved reports whether one of the codes comes from another system, so that it may have any form.
func AnyMoved(all []RecoveryCode) bool { return slices.ContainsFunc(all, RecoveryCode.moved) }

// HashClear returns a hash of a clear code, in a form that Portico takes from other systems. It returns
// false if the text cannot be a code.
func HashClear(text string) (hash string, ok bool) {
	code := folded(text)
	if len(code) < leastMoved || !readable(text) {
		return "", false
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	sum := sha256.Sum256(append(slices.Clone(salt), code...))
	encode := base64.RawStdEncoding.EncodeToString
	return "$sha256$salt=before$" + encode(salt) + "$" + encode(sum[:]), true
}

// The characters of a code from another system, without blanks and hyphens at least.
const (
	leastMoved = 6
	mostMoved  = 64
)

// readable reports whether a text may be a code of another system.
func readable(text string) bool {
	text = strings.TrimSpace(text)
	return leastMoved <= len(text) && len(text) <= mostMoved && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// joined returns a code without what separates its groups.
func joined(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r == '\t' || r == '\u00a0' || r == '\u2011' || r == '\u2013' {
			return -1
		}
		return r
	}, text)
}

func folded(text string) string { return strings.ToUpper(joined(text)) }

// spellings returns what of a typed text may have been hashed for a code.
func (c RecoveryCode) spellings(typed string) (all []string) {
	own, ok := ParseCode(typed)
	switch exact := strings.TrimSpace(typed); Spelling(c.Selector[:1]) {
	case Clear:
		return []string{folded(typed)}
	case There:
		all = []string{exact, joined(exact)}
	case Kept:
		all = []string{exact, joined(exact), folded(typed)}
	default:
		if ok && (c.moved() || c.Selector == own[:SelectorLength]) {
			all = []string{own}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

package factor

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"portico/internal/fault"
)

// Codes is how many recovery codes a set has.
const Codes = 10

// A recovery code has 80 random bits in base32. The first two characters select
// its row, so that a check computes one hash. The other 70 bits are the secret
// (NIST SP 800-63B-4 4.2.1.1 asks for 64). The hash is over the whole code.
const (
	codeBytes      = 10
	codeLength     = 16
	SelectorLength = 2
)

// RecoveryWord is the method of a session that a recovery code has helped to start.
const RecoveryWord = "recovery_code"

// RecoveryCode is a recovery code that is not used.
type RecoveryCode struct {
	AccountID string
	Selector  string
	Hash      string // opaque verifier
}

// NewCodes returns a set of codes with different selectors, as people read them.
func NewCodes() []string {
	var set []string
	taken := map[string]bool{}
	for len(set) < Codes {
		b := make([]byte, codeBytes)
		_, _ = rand.Read(b) // never fails
		text := plainBase32.EncodeToString(b)
		if !taken[text[:SelectorLength]] {
			taken[text[:SelectorLength]] = true
			set = append(set, grouped(text, "-"))
		}
	}
	return set
}

// OfSet reports whether the codes that are left are of a set of NewCodes, so that no other has replaced it.
func OfSet(left []RecoveryCode, set []string) bool {
	return len(left) > 0 && !slices.ContainsFunc(left, func(c RecoveryCode) bool {
		return !slices.ContainsFunc(set, func(text string) bool { return text[:SelectorLength] == c.Selector })
	})
}

// look replaces the digits that people take for letters. Base32 has no 0, 1 and 8.
var look = strings.NewReplacer("0", "O", "1", "I", "8", "B")

// ParseCode returns the one spelling of a typed recovery code.
func ParseCode(typed string) (code string, ok bool) {
	if len(typed) > 256 {
		return "", false
	}
	code = look.Replace(folded(typed))
	_, err := plainBase32.DecodeString(code)
	return code, err == nil && len(code) == codeLength
}

// Replace stores the hashes of a new set, in the order of NewCodes, in place of
// the old set.
func (k *Keeper) Replace(ctx context.Context, tx Store, accountID string, codes, hashes []string) error {
	if err := tx.DeleteRecoveryCodes(ctx, accountID); err != nil {
		return err
	}
	for i, text := range codes {
		if _, err := tx.InsertRecoveryCode(ctx, RecoveryCode{AccountID: accountID, Selector: text[:SelectorLength], Hash: hashes[i]}); err != nil {
			return err
		}
	}
	return nil
}

// Guess is a stored code, and what of a typed text may have been hashed for it.
type Guess struct {
	RecoveryCode
	Text string
}

// Guesses returns the codes that a typed text may be: at most one of ours, and all of another system. The caller compares
// the hashes. If the account could have no code of this form, it returns the fault of the field code.
func (k *Keeper) Guesses(ctx context.Context, tx Store, accountID, typed string) (all []Guess, err error) {
	codes, err := tx.RecoveryCodesOf(ctx, accountID)
	_, own := ParseCode(typed)
	switch moved := AnyMoved(codes); {
	case err != nil:
		return nil, err
	case moved && !own && !readable(typed):
		return nil, fault.InvalidFields(fault.Field{Name: "code", Code: CodeMovedFormat})
	case !moved && !own:
		return nil, fault.InvalidFields(fault.Field{Name: "code", Code: CodeRecoveryFormat})
	}
	for _, c := range codes {
		for _, text := range c.spellings(typed) {
			all = append(all, Guess{c, text})
		}
	}
	return all, nil
}

// Left returns how many codes are left, 0 if the given one is no longer among them.
func (k *Keeper) Left(ctx context.Context, tx Store, c RecoveryCode) (left int, err error) {
	codes, err := tx.RecoveryCodesOf(ctx, c.AccountID)
	if !slices.Contains(codes, c) {
		return 0, err
	}
	return len(codes), err
}

// Spend uses up a code, or returns Wrong if another call has used it.
func (k *Keeper) Spend(ctx context.Context, tx Store, c RecoveryCode) error {
	won, err := tx.UseRecoveryCode(ctx, c.AccountID, c.Selector)
	if err == nil && !won {
		return Wrong
	}
	return err
}

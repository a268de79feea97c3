package password

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/internal/fault"
)

const (
	fieldPassword = "password"
	fieldConfirm  = "confirm_password"

	// longest is the greatest number of code points of any password. NIST SP
	// 800-63B-4 3.1.1.2 asks for 64 or more.
	longest = 256

	// longestBytes bounds the work of normalising. A code point decomposes
	// into at most four, of at most four bytes each.
	longestBytes = longest * 4 * 4
)

// normalise returns the form of the password that is measured and hashed, or
// the fault of its field.
func normalise(password string) (string, []fault.Field) {
	if password == "" {
		return "", refuse(CodeRequired, nil)
	}
	if len(password) > longestBytes {
		return "", refuse(CodeTooLong, count(longest))
	}
	if !utf8.ValidString(password) || strings.ContainsRune(password, 0) {
		return "", refuse(CodeCharacter, nil)
	}
	text := norm.NFC.String(password)
	if utf8.RuneCountInString(text) > longest {
		return "", refuse(CodeTooLong, count(longest))
	}
	return text, nil
}

// Confirm returns the fault of the field confirm_password when the two typed
// passwords differ.
func Confirm(password, again string) []fault.Field {
	switch {
	case again == "":
		return []fault.Field{{Name: fieldConfirm, Code: CodeNotRepeated}}
	case norm.NFC.String(password) != norm.NFC.String(again):
		return []fault.Field{{Name: fieldConfirm, Code: CodeMismatch}}
	}
	return nil
}

func refuse(code string, params map[string]string) []fault.Field {
	return []fault.Field{{Name: fieldPassword, Code: code, Params: params}}
}

func count(n int) map[string]string { return map[string]string{"count": strconv.Itoa(n)} }

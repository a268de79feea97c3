package account

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"portico/internal/fault"
	"portico/internal/legible"
)

const maxName = 100 // code points

// ParseName checks the name of a person, a passkey or a key as somebody types it, and returns it in one
// spelling (NFC), with single spaces. An empty name is not a fault here.
//
// The fault, if any, is one of the field: a name that is too long, or that has
// characters that package legible refuses. They are refused and not removed, so that
// no one gets another name than they typed.
func ParseName(typed string) (string, *fault.Field) {
	if len(typed) > 8*maxName { // before anything is parsed
		return "", nameTooLong()
	}
	name := strings.Join(strings.Fields(norm.NFC.String(legible.Trim(typed))), " ")
	if legible.Check(name) != nil {
		return "", &fault.Field{Name: "name", Code: CodeNameCharacter}
	}
	if utf8.RuneCountInString(name) > maxName {
		return "", nameTooLong()
	}
	return name, nil
}

func nameTooLong() *fault.Field {
	return &fault.Field{Name: "name", Code: CodeNameTooLong, Params: map[string]string{"count": strconv.Itoa(maxName)}}
}

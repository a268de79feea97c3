package account_test

import (
	"strings"
	"testing"

	"portico/internal/account"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"Mara Lind":              "Mara Lind",
		"  Zoe\u0308\t Ålund\n":  "Zoë Ålund", // one spelling, single spaces
		"O’Hara-Łuk, Jr.":        "O’Hara-Łuk, Jr.",
		"山田 太郎":                  "山田 太郎",
		"علی\u200cرضا":           "علی\u200cرضا", // a joiner that is part of the word
		"":                       "",
		"\u2066Mara\u2069\u200b": "Mara", // pasted from a page or a table
		" \u200d\u200c ":         "",
		strings.Repeat("é", 100): strings.Repeat("é", 100),
	} {
		if got, bad := account.ParseName(typed); got != want || bad != nil {
			t.Errorf("%q: %q, %v, want %q", typed, got, bad, want)
		}
	}
	for typed, want := range map[string]string{
		"Mara\x00":               account.CodeNameCharacter,
		"Mara\x1b[31m":           account.CodeNameCharacter,
		"Mara\u202egnp.exe":      account.CodeNameCharacter,
		"Ma\u200bra":             account.CodeNameCharacter,
		"Mara\ue000":             account.CodeNameCharacter,
		"Mara\xff":               account.CodeNameCharacter,
		"Ma\u200dra":             account.CodeNameCharacter,
		strings.Repeat("é", 101): account.CodeNameTooLong,
		strings.Repeat("x", 801): account.CodeNameTooLong,
	} {
		got, bad := account.ParseName(typed)
		if got != "" || bad == nil || bad.Code != want || bad.Name != "name" {
			t.Errorf("%q: %q, %v, want %s", typed, got, bad, want)
		}
	}
}

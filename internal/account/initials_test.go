package account_test

import (
	"testing"

	"portico/internal/account"
)

func TestInitials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, address, want string }{
		{"Mara Lind", "x@example.org", "ML"},
		{"mara von der lind", "", "ML"},
		{"Mara", "x@example.org", "M"},
		{"", "zoë@example.org", "Z"},
		{"", "_9@example.org", "9"},
		{"(Élodie) O’Hara", "", "ÉO"},
		{"山田 太郎", "", "山太"},
		{"علی رضا", "", "عر"},
		{"🎈 ?", "", ""},
		{"ß b", "", "ßB"},
	} {
		if got := account.Initials(c.name, c.address); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.name, c.address, got, c.want)
		}
	}
}

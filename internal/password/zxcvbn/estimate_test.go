package zxcvbn

import (
	"strings"
	"testing"
)

// What the original does not see: more than one sign for a letter, digits as
// themselves beside signs, and characters of more than one byte.
func TestEstimate_BeyondTheOriginal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		password string
		most     float64
	}{
		{"b@n4na", 1e4},
		{"@bc123", 100},
		{"михаилмихаил", 5000},
		{"михаил", 2},
		{"ляпсусмихаил", 1e8},
		{"абвгдежз", 1000},
		{"密码密码密码", 1e4},
	} {
		if got, _ := Estimate(test.password, []string{"михаил"}); got > test.most {
			t.Errorf("%q: %g guesses, want at most %g", test.password, got, test.most)
		}
	}
}

func TestEstimate_CharactersCountOnce(t *testing.T) {
	t.Parallel()
	latin, _ := Estimate("xkqz", nil)
	for _, password := range []string{"жщюф", "密码猫山"} {
		if got, _ := Estimate(password, nil); got > latin {
			t.Errorf("%q: %g guesses, more than %g of as many Latin letters", password, got, latin)
		}
	}
}

func TestEstimate_Patterns(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"":                 "",
		"dragon":           "dictionary",
		"nogard":           "dictionary",
		"uygvbhytfc":       "spatial",
		"kqzkqzkqz":        "repeat",
		"13579":            "sequence",
		"2014":             "regex",
		"13.12.1987":       "date",
		"1/1/19":           "date",
		"kqz":              "bruteforce",
		"dragon13.12.1987": "dictionary date",
		"nogarduygvbhytfc": "dictionary spatial",
	} {
		var patterns []string
		_, sequence := Estimate(password, nil)
		for _, m := range sequence {
			patterns = append(patterns, m.Pattern)
		}
		if got := strings.Join(patterns, " "); got != want {
			t.Errorf("%q is made of %q, want %q", password, got, want)
		}
	}
}

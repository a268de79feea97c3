package password

import (
	"strings"
	"testing"

	"portico/internal/fault"
)

// SEC-180, with the known data of the test's user.
var about = []string{"max.mustermann@example.com"}

func check(t testing.TB, s *Service, password string) (code, reason string) {
	t.Helper()
	fields, err := s.Check(t.Context(), password, about...)
	if err != nil {
		t.Fatal(err)
	}
	if len(fields) == 0 {
		return "", ""
	}
	if len(fields) != 1 || fields[0].Name != "password" {
		t.Fatalf("Check(%q) = %+v, want one fault of the field password", password, fields)
	}
	return fields[0].Code, fields[0].Params["reason"]
}

func TestCheck_Refuses(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, test := range []struct{ password, code, reason string }{
		{"", CodeRequired, ""},
		{"kV7#qz!", CodeTooShort, ""},
		{strings.Repeat("🦊", 7), CodeTooShort, ""},
		{"cafe\u0301cafe\u0301"[:9], CodeTooShort, ""}, // eight code points as typed, seven after NFC
		{strings.Repeat("x", 257), CodeTooLong, ""},

		{"12345678", CodeBreached, ""},
		{"aaaaaaaa", CodeBreached, ""},
		{"qwertyuiop", CodeBreached, ""},
		{"PASSWORD1", CodeBreached, ""},

		{"Portico2026!!!!!", CodeContainsContext, ""},
		{"p0rtic0-2026", CodeContainsContext, ""},
		{"mustermannmustermann", CodeContainsContext, ""},
		{"max.mustermannmax.mustermann", CodeContainsContext, ""},
		{"maxmustermann1", CodeContainsContext, ""},
		{"nnamretsum99", CodeContainsContext, ""},
		{"max.mustermann@example.com", CodeContainsContext, ""},
		{"Max.Mustermann@Example.com", CodeContainsContext, ""},
		{"max.mustermann@example.commax.mustermann@example.com", CodeContainsContext, ""},
		{"müstermann-2026", CodeContainsContext, ""},
		{"login.portico.test", CodeContainsContext, ""},

		{strings.Repeat("x", 40), CodeGuessable, reasonRepeat},
		{strings.Repeat(" ", 15), CodeGuessable, reasonRepeat},
		{strings.Repeat("🦊", 15), CodeGuessable, reasonRepeat},
		{strings.Repeat("horse", 40), CodeGuessable, reasonRepeat},
		{"ghijklmnopqrstu", CodeGuessable, reasonSequence},
		{"!@#$%^&*()_+", CodeGuessable, reasonKeyboard},
		{"pelican.pelican.pelican.", CodeGuessable, reasonRepeat},
		{"12.04.1987", CodeGuessable, reasonDate},
		{"Kowalczyk1987", CodeGuessable, reasonName},
		{"Summer2026!", CodeGuessable, reasonWord},
		{"P@ssw0rd2026", CodeGuessable, reasonWord},
		{"Winter2024!!", CodeGuessable, reasonWord},
		{"Montag2024!", CodeGuessable, reasonWord},
		{"#Sonnenschein1", CodeGuessable, reasonWord},
		{"blue-house", CodeGuessable, reasonWord},
		{"Pässwörd-2026", CodeGuessable, reasonWord},
		{"ääääääääääää1", CodeGuessable, reasonShort},
		{strings.Repeat("🦊", 8) + "1", CodeGuessable, reasonShort},
	} {
		if code, reason := check(t, s, test.password); code != test.code || reason != test.reason {
			t.Errorf("Check(%q) = %s %s, want %s %s", test.password, code, reason, test.code, test.reason)
		}
	}
}

func TestCheck_Accepts(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for _, password := range []string{
		"kxvqzhbwtrmjpny", // 15 random letters: no character classes are required
		"ufwyxkgqzt",
		"kV7#qz!m",
		"8263940175283",
		"correct horse battery staple",
		"turquoise pelican drifting",
		"quiltzebraviolin",
		"wasser feuer erde luft",
		"Der Fuchs sprang nach Lübeck",
		"лиса прыгнула через забор",
		"नमस्ते दुनिया",
		"여우가 울타리를 넘었다",
		"🦊🎻🪁🧭🫖🪵🧶🪄",
		"portico-Zebra9-quilt7", // contains the site's name, and is strong without it
		"mustermann zebra quilt",
		strings.Repeat("x", 24) + "kxvqzhbwtrmjpny", // only the first half is weak
		strings.Repeat("quilt zebra violin moss ", 11)[:256],
	} {
		if code, reason := check(t, s, password); code != "" {
			t.Errorf("Check(%q) = %s %s, want no fault", password, code, reason)
		}
	}
}

func TestCheck_Profiles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		profile, password, code, count string
	}{
		{"standard", "kV7#qz!", CodeTooShort, "8"},
		{"standard", "kV7#qz!m", "", ""},
		{"nist", "kxvqzhbwtrmjpn", CodeTooShort, "15"},
		{"nist", "kxvqzhbwtrmjpny", "", ""},
		{"nist", strings.Repeat("x", 257), CodeTooLong, "256"},
	} {
		policy, ok := Profile(test.profile)
		if !ok {
			t.Fatalf("no profile %s", test.profile)
		}
		s := newService(t, func(c *Config) { c.Policy = policy })
		fields, err := s.Check(t.Context(), test.password)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, fault.Field{})
		if got := fields[0]; got.Code != test.code || got.Params["count"] != test.count {
			t.Errorf("%s: Check(%q) = %+v, want %s %s", test.profile, test.password, got, test.code, test.count)
		}
	}
	if _, ok := Profile("strict"); ok {
		t.Error("there is a profile strict")
	}
}

func TestCheck_PolicyMax(t *testing.T) {
	t.Parallel()
	s := newService(t, func(c *Config) { c.Policy = Policy{Min: 8, Max: 64} })
	long := strings.Repeat("quilt zebra violin moss ", 3)[:65]
	if code, _ := check(t, s, long); code != CodeTooLong {
		t.Errorf("Check of 65 characters = %q, want %s", code, CodeTooLong)
	}
	// A password that was chosen under an earlier policy still verifies.
	if ok, _ := verify(t, s, hashOf(t, s, long), long); !ok {
		t.Error("a password that the policy no longer allows does not verify")
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	if got := Confirm("café crème", "cafe\u0301 cre\u0300me"); got != nil {
		t.Errorf("Confirm of another form = %+v", got)
	}
	for _, chosen := range []string{"quilt zebra", ""} {
		if got := Confirm(chosen, ""); len(got) != 1 || got[0].Name != "confirm_password" || got[0].Code != CodeNotRepeated {
			t.Errorf("%q, not repeated: %v", chosen, got)
		}
	}
	got := Confirm("quilt zebra", "quilt zebra ")
	if len(got) != 1 || got[0].Name != "confirm_password" || got[0].Code != CodeMismatch {
		t.Errorf("Confirm = %+v, want %s", got, CodeMismatch)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"Portico2026!!!!!", "🦊é1é1é1é1", "İİİİİİİİ2024!", "4@8({[<369!1|0$5+7%2", "e\u0301e\u0301\u0301"} {
		f.Add(seed, "max.mustermann@example.com")
	}
	s := newService(f, nil)
	f.Fuzz(func(t *testing.T, password, about string) {
		fields, err := s.Check(t.Context(), password, about)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			for _, param := range field.Params {
				if len(param) > 8 {
					t.Errorf("the fault of %q holds %q", password, param)
				}
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s := newService(b, nil)
	for name, password := range map[string]string{
		"random15":   "kxvqzhbwtrmjpny",
		"passphrase": "correct horse battery staple",
		// Every character stands for a letter.
		"signs": "!%<!|8+(@(9[4<1%9(7+7{91{[<2[572<5!80!8{(8!(42@@",
		// The most expensive input that a search of 15 seconds found: short
		// words and repeats.
		"words": "sella111i11ananmomo1l1lalamomo1l1onilla11tint$at",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				check(b, s, password)
			}
		})
	}
}

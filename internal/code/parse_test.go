package code_test

import (
	"strings"
	"testing"
	"unicode"

	"portico/internal/code"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed  string
		digits string
		fault  string
	}{
		"as mailed":               {"012345", "012345", ""},
		"spaced":                  {"012 345", "012345", ""},
		"spaced widely":           {" 0 1 2 3 4 5 ", "012345", ""},
		"hyphens":                 {"012-345", "012345", ""},
		"dashes of a text editor": {"012–345—", "012345", ""},
		"no-break space":          {"012\u00a0345", "012345", ""},
		"thin and zero width":     {"\u200b012\u2009345\ufeff", "012345", ""},
		"line ends and tabs":      {"\r\n012\t345\r\n", "012345", ""},
		"full-width":              {"０１２３４５", "012345", ""},
		"full-width, mixed":       {"０1２ 3４5", "012345", ""},
		"mathematical digits":     {"𝟎𝟏𝟐𝟑𝟒𝟓", "012345", ""},
		"superscript":             {"⁰¹²³⁴⁵", "012345", ""}, // NFKC turns these into digits
		"with its sentence":       {"Your code is 012345.", "012345", ""},
		"turned around":           {"\u202e012345\u202c", "012345", ""},
		"Arabic-Indic":            {"٠١٢٣٤٥", "012345", ""},
		"Persian":                 {"۰۱۲ ۳۴۵", "012345", ""},
		"Devanagari":              {"०१२३४५", "012345", ""},
		"Arabic-Indic, five":      {"٠١٢٣٤", "", code.CodeFormat},
		"empty":                   {"", "", code.CodeRequired},
		"blank":                   {" \t\r\n\u00a0\u3000", "", code.CodeRequired},
		"hyphens alone":           {"---", "", code.CodeFormat},
		"letters":                 {"O1234S", "", code.CodeFormat},
		"five":                    {"01234", "", code.CodeFormat},
		"seven":                   {"0123456", "", code.CodeFormat},
		"two codes":               {"012345 678901", "", code.CodeFormat},
		"a link":                  {"https://x.test/confirm?t=1", "", code.CodeFormat},
		"broken UTF-8":            {"\xff01\xfe2345", "012345", ""},
		"a null":                  {"012\x00345", "012345", ""},
		"as long as it may":       {strings.Repeat(" ", 250) + "012345", "012345", ""},
		"longer":                  {strings.Repeat(" ", 251) + "012345", "", code.CodeFormat},
		"a million blanks":        {strings.Repeat(" ", 1e6), "", code.CodeFormat},
		"a ligature that is more": {"012345ﷺ", "012345", ""}, // NFKC turns one character into 18
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			digits, bad := code.Parse(tt.typed, "code")
			switch {
			case digits != tt.digits:
				t.Errorf("%q gives %q, want %q", tt.typed, digits, tt.digits)
			case (bad == nil) != (tt.fault == ""), bad != nil && (bad.Code != tt.fault || bad.Name != "code"):
				t.Errorf("%q: fault %+v, want %q", tt.typed, bad, tt.fault)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, typed := range []string{"", "012345", "０１２-３４５", "٠١٢٣٤٥", "⑴⒈½㉑", "\xff\x00", "Your code: 012 345"} {
		f.Add(typed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		digits, bad := code.Parse(typed, "code")
		if bad != nil {
			if digits != "" || bad.Name != "code" || bad.Code != code.CodeFormat && bad.Code != code.CodeRequired {
				t.Fatalf("%q gives %q and %+v", typed, digits, bad)
			}
			if blank := strings.TrimFunc(typed, unicode.IsSpace) == ""; len(typed) <= 256 && blank != (bad.Code == code.CodeRequired) {
				t.Fatalf("%q is blank: %v, the fault is %s", typed, blank, bad.Code)
			}
			return
		}
		if len(digits) != code.Length || strings.Trim(digits, "0123456789") != "" {
			t.Fatalf("%q gives %q", typed, digits)
		}
		if again, bad := code.Parse(digits, "code"); bad != nil || again != digits {
			t.Fatalf("%q gives %q, which gives %q", typed, digits, again)
		}
		for _, r := range typed { // plain digits are never dropped or reordered
			if '0' <= r && r <= '9' && !strings.ContainsRune(digits, r) {
				t.Fatalf("%q gives %q without its %c", typed, digits, r)
			}
		}
	})
}

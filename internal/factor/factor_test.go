package factor

import (
	"strings"
	"testing"
	"time"
)

// RFC 6238 appendix B, the last six of its eight digits.
func TestSecret_VectorsOfRFC6238(t *testing.T) {
	t.Parallel()
	s := Secret("12345678901234567890")
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130",
	} {
		if got := s.At(time.Unix(at, 0)); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
	}
}

// RFC 6238 appendix B, for the algorithms and digits that other systems use.
func TestSecret_Forms(t *testing.T) {
	t.Parallel()
	for form, want := range map[Form]string{
		{Digits: 8, Period: 30, Algorithm: "SHA1"}: "94287082", {Digits: 8, Period: 30, Algorithm: "SHA256"}: "46119246",
		{Digits: 8, Period: 30, Algorithm: "SHA512"}: "90693936", {Digits: 7, Period: 30, Algorithm: "SHA1"}: "4287082",
	} {
		length := map[string]int{"SHA1": 20, "SHA256": 32, "SHA512": 64}[form.Algorithm]
		s := Secret(strings.Repeat("1234567890", 7)[:length])
		if got := s.In(form, time.Unix(59, 0)); got != want {
			t.Errorf("%+v: %s, want %s", form, got, want)
		}
	}
	s := NewSecret()
	if step, ok := s.step(Form{Digits: 6, Period: 60, Algorithm: "SHA1"}, s.In(Form{Digits: 6, Period: 60, Algorithm: "SHA1"}, time.Unix(600, 0)), time.Unix(659, 0)); !ok || step != 10 {
		t.Errorf("in the same minute: %v, step %d", ok, step)
	}
	for _, unusable := range []Form{{}, {5, 30, "SHA1"}, {9, 30, "SHA1"}, {6, 14, "SHA1"}, {6, 61, "SHA1"}, {6, 30, "MD5"}} {
		if _, ok := s.step(unusable, "000000", time.Unix(0, 0)); ok || unusable.Usable() {
			t.Errorf("%+v is used", unusable)
		}
	}
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"GEZDGNBVGY3TQOJQ": true, "gezd gnbv gy3t qojq": true, "GEZDGNBVGY3TQOJQGE======": true,
		"": false, "GEZDGNBVGY3TQO": false, "GEZDGNBVGY3TQOJ1": false, strings.Repeat("A", 208): false, strings.Repeat("A", 5000): false,
	} {
		if s, ok := ParseSecret(text); ok != fine || ok && string(s[:10]) != "1234567890" {
			t.Errorf("%.20q: %v %q", text, ok, s)
		}
	}
}

// SEC-036: a code is valid in its step and one step each way, in one spelling.
func TestSecret_Window(t *testing.T) {
	t.Parallel()
	s, now := NewSecret(), time.Unix(1_777_777_777, 0)
	for steps, valid := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		code := s.At(now.Add(time.Duration(steps*Period) * time.Second))
		step, ok := s.step(Standard(), code, now)
		if ok != valid || ok && step != now.Unix()/Period+steps {
			t.Errorf("%d steps away: %v at %d", steps, ok, step-now.Unix()/Period)
		}
	}
	code := s.At(now)
	for _, other := range []string{"", code[1:], code + "0", " " + code, strings.Repeat("0", 7)} {
		if _, ok := s.step(Standard(), other, now); ok {
			t.Errorf("%q was taken for %q", other, code)
		}
	}
}

func TestSecret_URI(t *testing.T) {
	t.Parallel()
	got := Secret("12345678901234567890").URI("The Gate: 1", "a+b@example.org")
	want := "otpauth://totp/The%20Gate%20%201:a+b@example.org?issuer=The%20Gate%20%201&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if text := Secret("12345678901234567890").Text(); text != "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ" {
		t.Errorf("the text is %q", text)
	}
}

func TestNewCodes(t *testing.T) {
	t.Parallel()
	for range 200 {
		selectors := map[string]bool{}
		for _, c := range NewCodes() {
			parsed, ok := ParseCode(c)
			if !ok || len(c) != 19 {
				t.Fatalf("%q is no code", c)
			}
			selectors[parsed[:SelectorLength]] = true
		}
		if len(selectors) != Codes {
			t.Fatalf("%d selectors of %d codes", len(selectors), Codes)
		}
	}
}

func TestParseCode(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"OABC-DEFG-HIJK-LMNB":                            "OABCDEFGHIJKLMNB",
		" 0abc defg h1jk lmn8 ":                          "OABCDEFGHIJKLMNB",
		"OABC\u2013DEFG-HIJKLMNB":                        "OABCDEFGHIJKLMNB",
		"OABC\tDEFG\u00a0HIJK\u2011LMNB":                 "OABCDEFGHIJKLMNB",
		strings.Repeat(" ", 237) + "OABC-DEFG-HIJK-LMNB": "OABCDEFGHIJKLMNB",
		strings.Repeat(" ", 238) + "OABC-DEFG-HIJK-LMNB": "",
		"OABC-DEFG-HIJK":                                 "",
		"OABC-DEFG-HIJK-LMN9":                            "",
		"":                                               "",
		"OABC-DEFG-HIJK-LMNBOABC":                        "",
		"OABC-DEFG-HIJK-LMN\u00df=":                      "",
	} {
		if got, ok := ParseCode(typed); ok != (want != "") || ok && got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

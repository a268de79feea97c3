package origin_test

import (
	"strings"
	"testing"

	"portico/internal/origin"
)

func TestASCII(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://anmeldung.müller.de":         "https://anmeldung.xn--mller-kva.de",
		"https://MÜLLER.de:8443/ü?ö#ä":        "https://xn--mller-kva.de:8443/ü?ö#ä",
		"smtp://ü:ä@müller.de:587":            "smtp://ü:ä@xn--mller-kva.de:587",
		"https://login.test/":                 "https://login.test/",
		"http://my_app:3000":                  "http://my_app:3000",
		"https://[::1]":                       "https://[::1]",
		"https://a\u200bb.test":               "https://a\u200bb.test", // no name, so the check of the URL refuses it
		"https://-ü.test":                     "https://-ü.test",
		"müller.de":                           "müller.de",
		"https://" + strings.Repeat("ü", 999): "https://" + strings.Repeat("ü", 999),
	} {
		if got := origin.ASCII(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	if got := origin.ASCIIHost("müller.de:8443"); got != "xn--mller-kva.de:8443" {
		t.Error(got)
	}
}

// A server that only Portico calls has the name that the network behind it gives.
func TestCheckCalled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"http://my_app:3000": true, "http://app": true, "https://app.test": true, "http://[fd00::1]:3000": true, "http://10.0.0.1": true,
		"http://my app": false, "http://my_app/": false, "http://my_app:0": false, "http://": false, "ftp://my_app": false,
	} {
		if err := origin.CheckCalled(text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if origin.Check("http://my_app:3000") == nil {
		t.Error("a site of browsers may have an underscore")
	}
}

// The advice names the characters that need another spelling, and nothing else of a password.
func TestEscapes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"postgres://u:p/w@h/db":           "/ as %2F",
		"smtp://u:a/b#c@d@h":              "# as %23, / as %2F and @ as %40",
		"http://u:a b%zz%2F@proxy":        "% as %25 and a space as %20",
		"https://u:p%2F%40@h/x":           "",
		"https://h/a@b":                   "/ as %2F",
		"https://h/":                      "",
		"smtp://u:hüsh@h":                 "other characters as their UTF-8 bytes, such as ü as %C3%BC",
		"u:p@h":                           "",
		"smtp://u:!$&'()*+,;=:-._~Az09@h": "",
	} {
		if got := origin.Escapes(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

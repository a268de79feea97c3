package mailer

import (
	"strings"
	"testing"
)

func TestParseMailbox(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no-reply@example.com":                       `<no-reply@example.com>`,
		"Müller GmbH <no-reply@anmeldung.müller.de>": `=?utf-8?q?M=C3=BCller_GmbH?= <no-reply@anmeldung.xn--mller-kva.de>`,
	} {
		box, err := ParseMailbox(text)
		if err != nil || box.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, box, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "is not an address: write", "nobody": `"nobody" is not an address: write`, "a@[192.0.2.1]": "not an address that every mail server accepts: write",
		`"a b"@example.com`: "not an address that every mail server accepts", "ä@example.com": "not an address that every mail server accepts",
		"=?utf-8?q?x=E2=80=AEy?= <a@x.test>": "U+202E): remove it",
	} {
		if _, err := ParseMailbox(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

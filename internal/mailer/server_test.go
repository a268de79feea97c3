package mailer

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Server{
		"smtp://mail.x.test":                    {"mail.x.test", 587, StartTLS, "", ""},
		"smtp://mail.x.test:25/":                {"mail.x.test", 25, StartTLS, "", ""},
		"smtps://mail.x.test":                   {"mail.x.test", 465, ImplicitTLS, "", ""},
		"smtps://ada%40x.test:p%3Aw%2F@[::2]:1": {"::2", 1, ImplicitTLS, "ada@x.test", "p:w/"},
		"smtp://localhost:1025?tls=none":        {"localhost", 1025, Plain, "", ""},
		"smtp://127.0.0.2:1025?tls=none":        {"127.0.0.2", 1025, Plain, "", ""},
		"smtp://u:p@[::1]:1025?tls=none":        {"::1", 1025, Plain, "u", "p"},
		"smtp://u:p@w@mail.müller.test":         {"mail.xn--mller-kva.test", 587, StartTLS, "u", "p@w"},
	} {
		got, err := ParseURL(text)
		if err != nil || got != want {
			t.Errorf("%s: got %#v, %v", text, got, err)
		}
	}
}

func TestParseURL_RefusesWithoutShowingThePassword(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "not a mail server: write smtp://",
		"mail.x.test:587":                    "not a mail server",
		"http://mail.x.test":                 "not a mail server",
		"smtp://":                            "names no server",
		"smtp://u:secret@":                   "names no server",
		"smtp://u:secret%@mail.x.test":       "write % as %25",
		"smtp://mail.x.test:x":               "malformed",
		"smtp://mail.x.test:99999":           "65535",
		"smtp://u:secret@mail.x.test/path":   "continues after the port",
		"smtp://mail.x.test#secret":          "continues after the port",
		"smtp://mail.x.test?tls=none":        "this machine only",
		"smtp://localhost.x.test?tls=none":   "this machine only",
		"smtp://127.0.0.1.x.test?tls=none":   "this machine only",
		"smtp://10.0.0.1?tls=none":           "this machine only",
		"smtps://localhost?tls=none":         "remove one of them",
		"smtp://localhost?tls=no":            "the only option",
		"smtp://localhost?tls=none&secret=1": "the only option",
		"smtp://secret@mail.x.test":          "half of the credentials",
		"smtp://:secret@mail.x.test":         "half of the credentials",
		"smtp://mail.x.test:":                "the port is missing",
		"smtp://u:sec/ret@mail.x.test":       "write / as %2F",
		"smtp://u:1/secret@mail.x.test":      "write / as %2F",
		"smtp://u:1#secret@mail.x.test":      "write # as %23",
		"smtp://u:1?secret@mail.x.test":      "write ? as %3F",
		"smtp://u:sec@r/et@mail.x.test":      "write / as %2F and @ as %40",
		"smtp://u:sec%re t@mail.x.test":      "write % as %25 and a space as %20",
	} {
		_, err := ParseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestServer_PrintsNoCredentials(t *testing.T) {
	t.Parallel()
	s, err := ParseURL("smtps://ada:secret@mail.x.test")
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, s); text != "mail.x.test:465" {
			t.Errorf("%s prints %q", format, text)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("smtp://u:p@h:1?tls=none")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseURL(text)
		if err == nil && s.Security == Plain && !loopback(s.Host) {
			t.Errorf("%q is sent to in plain text", text)
		}
	})
}

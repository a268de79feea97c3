package mailbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"portico/internal/clock"
	"portico/internal/locale"
	"portico/internal/mailer"
)

func start(t testing.TB, cfg Config) *Mailbox {
	t.Helper()
	m, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func send(t testing.TB, m *Mailbox, to, content string) error {
	t.Helper()
	c, err := smtp.Dial(m.SMTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.SendMail("no-reply@x.test", []string{to}, strings.NewReader(strings.ReplaceAll(content, "\n", "\r\n")))
}

func mustSend(t testing.TB, m *Mailbox, to, subject string) {
	t.Helper()
	if err := send(t, m, to, "Subject: "+subject+"\n\nHello\n"); err != nil {
		t.Fatal(err)
	}
}

func TestMailbox_KeepsTheNewest(t *testing.T) {
	t.Parallel()
	m := start(t, Config{Keep: 3})
	for n := range 5 {
		mustSend(t, m, fmt.Sprintf("user%d@x.test", n), fmt.Sprintf("mail %d", n))
	}
	got := m.Messages()
	if len(got) != 3 {
		t.Fatalf("%d messages", len(got))
	}
	for i, want := range []string{"mail 4", "mail 3", "mail 2"} {
		if got[i].Subject != want || got[i].Number != 5-i || got[i].To[0] != fmt.Sprintf("user%d@x.test", 4-i) {
			t.Errorf("%d: %+v", i, got[i])
		}
	}
}

// The mailbox shows an email as the mailer wrote it.
func TestMailbox_ReadsWhatTheMailerWrites(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	catalogue, err := locale.Load(os.DirFS("../../../web/src/i18n/messages"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := mailer.ParseURL("smtp://" + m.SMTPAddr() + "?tls=none")
	if err != nil {
		t.Fatal(err)
	}
	writer, err := mailer.New(mailer.Config{
		Server: server, From: "no-reply@x.test", PublicURL: "http://localhost:8080", Brand: "Pörtico",
		Catalogue: catalogue, Clock: clock.System{},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	msg := mailer.Message{ID: "m1", Template: "recover", To: "ada@x.test", Locale: "de", Data: map[string]string{
		"code": "123456", "link": "http://localhost:8080/auth/confirm-link?token=x", "minutes": "10",
	}}
	if err := writer.Send(t.Context(), msg); err != nil {
		t.Fatal(err)
	}
	want, err := writer.Render(msg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Wait(t.Context(), func(m Message) bool { return m.To[0] == "ada@x.test" })
	if err != nil {
		t.Fatal(err)
	}
	if got.Subject != want.Subject || got.Text != want.Text || got.HTML != want.HTML || got.From != "no-reply@x.test" {
		t.Errorf("got %+v", got)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	mustSend(t, m, "a@x.test", "first")
	second := func(m Message) bool { return m.Subject == "second" }
	found := make(chan error, 1)
	go func() {
		_, err := m.Wait(t.Context(), second)
		found <- err
	}()
	mustSend(t, m, "a@x.test", "second")
	if err := <-found; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := m.Wait(ctx, func(Message) bool { return false }); err == nil {
		t.Error("an email that was never sent was found")
	}
}

func TestStart_LoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", ":0", "10.0.0.1:25", "localhost:0", "x"} {
		if m, err := Start(t.Context(), Config{Addr: addr}); err == nil {
			_ = m.Close()
			t.Errorf("listens on %s", addr)
		}
	}
}

func TestStart_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m, err := Start(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-m.done
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if c, err := smtp.Dial(m.SMTPAddr()); err == nil {
		_ = c.Close()
		t.Error("still receives")
	}
}

func TestMailbox_RefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	m := start(t, Config{})
	line := strings.Repeat("x", 70) + "\n"
	if err := send(t, m, "a@x.test", "\n"+strings.Repeat(line, maxBytes/len(line)+1)); err == nil || len(m.Messages()) != 0 {
		t.Errorf("%v, %d messages", err, len(m.Messages()))
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	nested := "Content-Type: multipart/mixed; boundary=a\n\n"
	for range depthLimit + 2 {
		nested += "--a\nContent-Type: multipart/mixed; boundary=a\n\n"
	}
	tests := []struct{ name, raw, subject, text, html string }{
		{"plain", "Subject: Hi\n\nHello\n", "Hi", "Hello\n", ""},
		{"encoded subject", "Subject: =?utf-8?q?f=C3=BCr?=\n\n", "für", "", ""},
		{"broken subject", "Subject: =?nothing?q?x?=\n\n", "=?nothing?q?x?=", "", ""},
		{"html in base64", "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+\n", "", "", "<b>"},
		{"broken base64", "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+!!\n", "", "", "<b>"},
		{"not UTF-8", "\n\xff\n", "", "\ufffd\n", ""},
		{"first of its kind", "Content-Type: multipart/alternative; boundary=b\n\n--b\n\none\n--b\n\ntwo\n--b--\n", "", "one", ""},
		{"no end", "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n<i>", "", "", "<i>"},
		{"nested without end", nested, "", "", ""},
		{"no headers", "just words", "", "", ""},
		{"nothing", "", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := parse([]byte(tt.raw))
			if got.Subject != tt.subject || got.Text != tt.text || got.HTML != tt.html || got.Raw != tt.raw {
				t.Errorf("%+v", got)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("Content-Type: multipart/alternative; boundary=b\n\n--b\n\none\n--b--\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got := parse(raw); got.Raw != string(raw) {
			t.Error("the source was changed")
		}
	})
}

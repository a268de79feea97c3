package mailer

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/testform"
)

func mailerTo(t testing.TB, server Server, roots *x509.CertPool) *Mailer {
	t.Helper()
	return newMailer(t, func(c *Config) { c.Server, c.RootCAs = server, roots })
}

func plainTo(t testing.TB, addr string) *Mailer {
	t.Helper()
	return mailerTo(t, serverAt(t, "smtp", addr, "", "?tls=none"), nil)
}

func TestSend_WritesAWellFormedMail(t *testing.T) {
	t.Parallel()
	s := newSink(t, Plain, nil)
	m := plainTo(t, s.addr)
	msg := message("verify-address", "de")
	if err := m.Send(t.Context(), msg); err != nil {
		t.Fatal(err)
	}
	if err := m.Send(t.Context(), msg); err != nil {
		t.Fatal(err)
	}
	got := s.all()
	if len(got) != 2 || got[0].from != "no-reply@x.test" || !slices.Equal(got[0].to, []string{"ada@x.test"}) {
		t.Fatalf("%+v", got)
	}
	parsed, err := mail.ReadMessage(strings.NewReader(got[0].data))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"From": `"Portico" <no-reply@x.test>`, "To": "<ada@x.test>",
		"Date": "Fri, 20 Nov 2026 14:05:00 +0000", "Message-Id": "<01jd2m4x@id.x.test>",
		"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", "Mime-Version": "1.0",
	}
	for name, value := range want {
		if parsed.Header.Get(name) != value {
			t.Errorf("%s is %q, want %q", name, parsed.Header.Get(name), value)
		}
	}
	if names := len(parsed.Header); names != len(want)+2 { // Subject and Content-Type are checked elsewhere
		t.Errorf("headers %v", slices.Sorted(maps.Keys(parsed.Header)))
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	if err != nil || subject != "123456 ist Ihr Code für Portico" {
		t.Errorf("subject %q %v", subject, err)
	}
	written, err := m.Render(msg)
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, parsed, written)
	checkWire(t, got[0].data)
	again, err := mail.ReadMessage(strings.NewReader(got[1].data))
	if err != nil || again.Header.Get("Message-Id") != want["Message-Id"] {
		t.Errorf("sent again as %q", again.Header.Get("Message-Id"))
	}
}

func checkParts(t *testing.T, parsed *mail.Message, want Rendered) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%s %v", kind, err)
	}
	parts := multipart.NewReader(parsed.Body, params["boundary"])
	for _, expected := range []struct{ kind, text string }{
		{"text/plain; charset=UTF-8", want.Text}, {"text/html; charset=UTF-8", want.HTML},
	} {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(p)
		if err != nil || p.Header.Get("Content-Type") != expected.kind || strings.ReplaceAll(string(text), "\r\n", "\n") != expected.text {
			t.Errorf("%v: %s\n%s", err, p.Header.Get("Content-Type"), text)
		}
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		t.Errorf("more parts: %v", err)
	}
}

// checkWire checks the line lengths of RFC 5322 2.1.1, and that all bytes are
// ASCII.
func checkWire(t *testing.T, data string) {
	t.Helper()
	for line := range strings.SplitSeq(data, "\r\n") {
		if len(line) > 998 || strings.ContainsFunc(line, func(c rune) bool { return c > '~' || c < ' ' && c != '\t' }) {
			t.Errorf("line of %d bytes: %.80q", len(line), line)
		}
	}
}

func TestSend_HostileValuesAddNoHeader(t *testing.T) {
	t.Parallel()
	s := newSink(t, Plain, nil)
	server := serverAt(t, "smtp", s.addr, "", "?tls=none")
	var subjects []string
	for _, value := range hostile() {
		m := newMailer(t, func(c *Config) { c.Server, c.Brand = server, value })
		for _, name := range []string{"verify-address", "provider-linked"} {
			msg := message(name, value)
			msg.Data["provider"], msg.Data["browser"], msg.Data["brand"] = value, value, value
			written, err := m.Render(msg)
			if err != nil {
				t.Fatal(err)
			}
			subjects = append(subjects, strings.TrimSpace(written.Subject))
			if err := m.Send(t.Context(), msg); err != nil {
				t.Fatalf("%.40q: %v", value, err)
			}
		}
	}
	for _, got := range s.all() {
		parsed, err := mail.ReadMessage(strings.NewReader(got.data))
		if err != nil {
			t.Fatal(err)
		}
		if len(parsed.Header) != 9 || len(got.to) != 1 || got.to[0] != "ada@x.test" {
			t.Errorf("%v to %v", slices.Sorted(maps.Keys(parsed.Header)), got.to)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
		if err != nil || !slices.Contains(subjects, subject) {
			t.Errorf("a mail program shows the subject %q (%v), which nobody has written", subject, err)
		}
		checkWire(t, got.data)
	}
	if n := len(s.all()); n != 2*len(hostile()) {
		t.Errorf("%d emails", n)
	}
}

func TestSend_OnlyToPlainAddresses(t *testing.T) {
	t.Parallel()
	s := newSink(t, Plain, nil)
	m := plainTo(t, s.addr)
	for _, to := range []string{
		"", "a", "@x.test", "a@", "a@evil.test,v@x.test", "a@evil.test;v@x.test", "a@evil.test v@x.test",
		"a@evil.test\tv@x.test", "a@evil.test\nv@x.test", "a@evil.test%0av@x.test\x00", "v@x.test>,<a@evil.test",
		"v@x.test\r\nRCPT TO:<a@evil.test>", `"a@evil.test x"@b.test`, "Name <a@b.test>", "<a@b.test>",
		"a(comment)@b.test", "=?x?q?=61=40evil.test=3e=00?=foo@b.test@", "a@[127.0.0.1]", "@r1:a@b", "a@b@c.test",
		"a..b@x.test", ".a@x.test", "a.@x.test", "ü@x.test", "a@ü.test", "a@x..test", "a@x.test.", "a@x_y.test",
		strings.Repeat("a", 65) + "@x.test", "a@" + strings.Repeat("x", 250) + ".test", "a`b@x.test",
	} {
		msg := message("recover", "en")
		msg.To = to
		var failure *Error
		if err := m.Send(t.Context(), msg); !errors.As(err, &failure) || !failure.Permanent() || failure.Uncertain() {
			t.Errorf("%q: %v", to, err)
		}
	}
	for _, id := range []string{"", "a@b", "a b", "a>\r\nX: y", "a.b"} {
		msg := message("recover", "en")
		msg.ID = id
		if err := m.Send(t.Context(), msg); err == nil {
			t.Errorf("the id %q was accepted", id)
		}
	}
	if n := s.connections(); n != 0 {
		t.Errorf("%d connections for emails that cannot be sent", n)
	}
}

func TestSend_Encrypts(t *testing.T) {
	t.Parallel()
	secure, roots := certificate(t, time.Now().Add(time.Hour), "127.0.0.1")
	for name, tt := range map[string]struct {
		scheme   string
		security Security
	}{"starttls": {"smtp", StartTLS}, "implicit": {"smtps", ImplicitTLS}} {
		for _, mechanism := range []string{"PLAIN", "LOGIN"} {
			t.Run(name+" "+mechanism, func(t *testing.T) {
				t.Parallel()
				s := newSink(t, tt.security, secure, mechanism)
				m := mailerTo(t, serverAt(t, tt.scheme, s.addr, "ada:correct%20horse@", ""), roots)
				if err := m.Send(t.Context(), message("recover", "en")); err != nil {
					t.Fatal(err)
				}
				if got := s.all(); len(got) != 1 || !got[0].tls || got[0].username != "ada" {
					t.Errorf("%+v", got)
				}
			})
		}
	}
}

func TestSend_RefusesBadTLS(t *testing.T) {
	t.Parallel()
	good, roots := certificate(t, time.Now().Add(time.Hour), "127.0.0.1")
	otherName, otherRoots := certificate(t, time.Now().Add(time.Hour), "mail.x.test")
	expired, expiredRoots := certificate(t, time.Now().Add(-time.Hour), "127.0.0.1")
	old := good.Clone()
	old.MaxVersion = tls.VersionTLS11
	for name, tt := range map[string]struct {
		secure *tls.Config
		roots  *x509.CertPool
	}{
		"unknown authority": {good, nil}, "other name": {otherName, otherRoots},
		"expired": {expired, expiredRoots}, "TLS 1.1": {old, roots},
	} {
		for scheme, security := range map[string]Security{"smtp": StartTLS, "smtps": ImplicitTLS} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				t.Parallel()
				s := newSink(t, security, tt.secure, "PLAIN")
				m := mailerTo(t, serverAt(t, scheme, s.addr, "ada:correct%20horse@", ""), tt.roots)
				var failure *Error
				err := m.Send(t.Context(), message("recover", "en"))
				if !errors.As(err, &failure) || failure.Step != stepTLS || failure.Permanent() || failure.Uncertain() {
					t.Errorf("%v", err)
				}
				if len(s.all()) != 0 {
					t.Error("an email was sent")
				}
			})
		}
	}
}

func TestSend_NeverFallsBackToPlainText(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]map[string]string{
		"not offered":        {},
		"offer stripped":     {"ehlo": "250-mx.test\r\n250 AUTH PLAIN"},
		"refused":            {"ehlo": "250-mx.test\r\n250-STARTTLS\r\n250 AUTH PLAIN", "starttls": "454 not now"},
		"answers injected":   {"ehlo": "250-mx.test\r\n250 STARTTLS", "starttls": "220 go\r\n250 mx.test"},
		"EHLO is not spoken": {"ehlo": "502 what?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, script)
			m := mailerTo(t, serverAt(t, "smtp", f.addr, "ada:secret@", ""), nil)
			ctx, cancel := context.WithTimeout(t.Context(), testform.Patience)
			defer cancel()
			var failure *Error
			err := m.Send(ctx, message("recover", "en"))
			step, words := stepTLS, "use smtps://"
			if strings.HasPrefix(script["ehlo"], "5") {
				step, words = stepHello, `the server refuses EHLO, without which it has neither STARTTLS nor a login: 502 "what?"`
			}
			if !errors.As(err, &failure) || failure.Step != step || failure.Permanent() {
				t.Fatalf("%v", err)
			}
			if script["starttls"] == "" && !strings.Contains(failure.Error(), words) {
				t.Errorf("the error says nothing to the operator: %v", err)
			}
			for _, line := range f.said() {
				if strings.HasPrefix(line, "AUTH") || strings.HasPrefix(line, "MAIL") {
					t.Errorf("said %q in plain text", line)
				}
			}
		})
	}
}

func TestSend_WrongPasswordIsNotTheMailsFault(t *testing.T) {
	t.Parallel()
	secure, roots := certificate(t, time.Now().Add(time.Hour), "127.0.0.1")
	for _, mechanisms := range [][]string{{"PLAIN"}, {"LOGIN"}, {"XOAUTH2"}, nil} {
		s := newSink(t, StartTLS, secure, mechanisms...)
		m := mailerTo(t, serverAt(t, "smtp", s.addr, "ada:wrong@", ""), roots)
		var failure *Error
		err := m.Send(t.Context(), message("recover", "en"))
		if !errors.As(err, &failure) || failure.Step != stepLogin || failure.Permanent() || failure.Uncertain() {
			t.Errorf("%v: %v", mechanisms, err)
		}
		if err != nil && strings.Contains(err.Error(), "wrong") {
			t.Errorf("the error shows the password: %v", err)
		}
		if only := slices.Contains(mechanisms, "XOAUTH2"); only != strings.Contains(err.Error(), "takes only OAuth tokens (XOAUTH2)") {
			t.Errorf("%v: %v", mechanisms, err)
		}
	}
}

func TestSend_ClassifiesFailures(t *testing.T) {
	t.Parallel()
	const temporary, permanent, uncertain = "temporary", "permanent", "uncertain"
	tests := []struct{ name, key, answer, step, class string }{
		{"busy at the door", "greeting", "421 later", stepGreeting, temporary},
		{"closed at the door", "greeting", "554 no", stepGreeting, temporary},
		{"hangs up at the door", "greeting", hangUp, stepGreeting, temporary},
		{"ten megabytes at the door", "greeting", flood, stepGreeting, temporary},
		{"no mail server", "greeting", "HTTP/1.1 400 Bad Request", stepGreeting, temporary},
		{"sender refused", "mail", "550 no", stepSender, temporary},
		{"sender deferred", "mail", "451 later", stepSender, temporary},
		{"recipient deferred", "rcpt", "450 greylisted", stepRecipient, temporary},
		{"recipient unknown", "rcpt", "550 5.1.1 no such user", stepRecipient, permanent},
		{"HELO refused late", "rcpt", "504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname", stepRecipient, temporary},
		{"sender refused late", "rcpt", "554 5.7.1 <no-reply@x.test>: Sender address rejected: not owned", stepRecipient, temporary},
		{"client refused late", "rcpt", "554 5.7.1 <unknown[192.0.2.1]>: Client host rejected: Access denied", stepRecipient, temporary},
		{"relay denied", "rcpt", "454 4.7.1 <ada@x.test>: Relay access denied", stepRecipient, temporary},
		{"relay denied for good", "rcpt", "554 5.7.1 <ada@x.test>: Relay access denied", stepRecipient, temporary},
		{"relay not permitted", "rcpt", "550 relay not permitted", stepRecipient, temporary},
		{"recipient refused without a colon", "rcpt", "550 5.1.1 <sender@x.test> recipient rejected", stepRecipient, permanent},
		{"recipient refused", "rcpt", "550 5.1.1 <helo@x.test>: Recipient address rejected: User unknown", stepRecipient, permanent},
		{"hangs up at the recipient", "rcpt", hangUp, stepRecipient, temporary},
		{"content refused", "data", "554 no", stepData, permanent},
		{"content deferred", "data", "451 later", stepData, temporary},
		{"deferred in the end", ".", "452 full", stepAccept, temporary},
		{"refused in the end", ".", "554 spam", stepAccept, permanent},
		{"hangs up in the end", ".", hangUp, stepAccept, uncertain},
		{"mumbles in the end", ".", "what?", stepAccept, uncertain},
		{"floods in the end", ".", flood, stepAccept, uncertain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, map[string]string{tt.key: tt.answer})
			var failure *Error
			if err := plainTo(t, f.addr).Send(t.Context(), message("recover", "en")); !errors.As(err, &failure) {
				t.Fatalf("%v", err)
			}
			if failure.Step != tt.step || failure.Permanent() != (tt.class == permanent) || failure.Uncertain() != (tt.class == uncertain) {
				t.Errorf("%v: permanent %v, uncertain %v", failure, failure.Permanent(), failure.Uncertain())
			}
			if len(failure.Error()) > 4*errorLimit || strings.Contains(failure.Error(), "123456") {
				t.Errorf("error of %d bytes: %v", len(failure.Error()), failure)
			}
			<-f.closed // no connection remains open
		})
	}
}

func TestSend_AcceptsOtherAnswersThan250(t *testing.T) {
	t.Parallel()
	f := newFaulty(t, map[string]string{".": "251 forwarded", "ehlo": "502 only HELO"})
	if err := plainTo(t, f.addr).Send(t.Context(), message("recover", "en")); err != nil {
		t.Error(err)
	}
}

func TestSend_KeepsToItsDeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, answer string
		uncertain   bool
	}{
		{"greeting", silence, false}, {"greeting", drip, false}, {"ehlo", drip, false},
		{"mail", silence, false}, {"rcpt", drip, false}, {"data", drip, false},
		{".", silence, true}, {".", drip, true},
	} {
		t.Run(tt.key+" "+tt.answer, func(t *testing.T) {
			t.Parallel()
			f := newFaulty(t, map[string]string{tt.key: tt.answer})
			m := plainTo(t, f.addr)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // enough to reach the tested step on a busy machine
			defer cancel()
			start := time.Now()
			var failure *Error
			err := m.Send(ctx, message("recover", "en"))
			if !errors.As(err, &failure) || !errors.Is(err, context.DeadlineExceeded) || failure.Uncertain() != tt.uncertain || failure.Permanent() {
				t.Errorf("%v", err)
			}
			if took := time.Since(start); took > testform.Limit(4*time.Second) {
				t.Errorf("took %v", took)
			}
			<-f.closed
		})
	}
}

func TestMeter_LetsOnlySoMuchIn(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	go func() { _, _ = io.Copy(there, endless{}) }()
	n, err := io.Copy(io.Discard, &meter{Conn: here, left: readLimit})
	if n != readLimit || !errors.Is(err, errTooMuch) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestDial_PlainTextStaysOnThisMachine(t *testing.T) {
	t.Parallel()
	// The name is local but has resolved to something else; here the connection
	// has no TCP address.
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	d := dialer{server: Server{Host: "localhost", Security: Plain}}
	if failure := d.begin(t.Context(), &conn{raw: &meter{Conn: here}}); failure == nil || failure.Step != stepConnect {
		t.Errorf("%v", failure)
	}
}

func TestSend_NobodyThere(t *testing.T) {
	t.Parallel()
	var failure *Error
	err := plainTo(t, "127.0.0.1:1").Send(t.Context(), message("recover", "en"))
	if !errors.As(err, &failure) || failure.Step != stepConnect || failure.Permanent() || failure.Uncertain() {
		t.Errorf("%v", err)
	}
}

func TestSend_KeepsConnections(t *testing.T) {
	t.Parallel()
	s := newSink(t, Plain, nil)
	m := plainTo(t, s.addr)
	const mails = mailsPerConn + 10
	for range mails {
		if err := m.Send(t.Context(), message("recover", "en")); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.connections(); n != 2 || len(s.all()) != mails {
		t.Errorf("%d connections for %d emails", n, len(s.all()))
	}
}

func TestSend_KeptConnectionWasClosed(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]map[string]string{
		"silently": {"after": hangUp}, "with a word": {".": "250 taken\r\n421 idle for too long"},
	} {
		f := newFaulty(t, script)
		m := plainTo(t, f.addr)
		for range 3 {
			if err := m.Send(t.Context(), message("recover", "en")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestSend_Concurrently(t *testing.T) {
	t.Parallel()
	s := newSink(t, Plain, nil)
	m := plainTo(t, s.addr)
	var sending sync.WaitGroup
	for range 50 {
		sending.Go(func() {
			if err := m.Send(t.Context(), message("recover", "en")); err != nil {
				t.Error(err)
			}
		})
	}
	sending.Wait()
	if n := len(s.all()); n != 50 {
		t.Errorf("%d emails", n)
	}
}

func TestNew_RefusesUnfitConfiguration(t *testing.T) {
	t.Parallel()
	good := Config{From: "a@x.test", PublicURL: "https://x.test"}
	for name, change := range map[string]func(*Config){
		"no sender":        func(c *Config) { c.From = "" },
		"sender with CRLF": func(c *Config) { c.From = "a@x.test\r\nBcc: b@x.test" },
		"two senders":      func(c *Config) { c.From = "a@x.test, b@x.test" },
		"quoted sender":    func(c *Config) { c.From = `"a b"@x.test` },
		"no public URL":    func(c *Config) { c.PublicURL = "" },
		"other scheme":     func(c *Config) { c.PublicURL = "ftp://x.test" },
	} {
		cfg := good
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}

func TestDomainOf(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"id.x.test": "id.x.test", "localhost": "localhost", "127.0.0.1": "[127.0.0.1]", "::1": "[IPv6:::1]",
	} {
		if got := domainOf(host); got != want {
			t.Errorf("%s: %s", host, got)
		}
	}
}

func BenchmarkSend(b *testing.B) {
	s := newSink(b, Plain, nil)
	m := plainTo(b, s.addr)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := m.Send(b.Context(), message("recover", "en")); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "mails/s")
}

// Check starts an email and cancels it before naming a recipient.
func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFaulty(t, nil)
	if err := plainTo(t, f.addr).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-f.closed
	var verbs []string
	for _, line := range f.said() {
		verbs = append(verbs, strings.Fields(line)[0])
	}
	if got := strings.Join(verbs, " "); got != "EHLO MAIL RSET QUIT" {
		t.Errorf("the server got %q", f.said())
	}
	f = newFaulty(t, map[string]string{"mail": "553 not your address"})
	err, ok := errors.AsType[*Error](plainTo(t, f.addr).Check(t.Context()))
	if !ok || err.Step != "sender" || err.Code != 553 {
		t.Errorf("a sender that is refused: %v", err)
	}
}

package security

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"portico/internal/testform"
)

// mailServer is a real SMTP server that keeps the emails of a site.
type mailServer struct {
	t    *testing.T
	addr string

	mu    sync.Mutex
	kept  []*email
	taken map[string]bool // by Message-ID
	no    bool            // whether every recipient is refused
	more  chan struct{}   // closed and replaced when an email comes

	slow map[string]bool // addresses whose emails are not accepted until free is closed
	held chan struct{}   // has one for each of these that has come
	free chan struct{}
}

// email is one message as it was sent.
type email struct {
	from       string
	recipients []string
	raw        string
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	m := &mailServer{t: t, taken: map[string]bool{}, slow: map[string]bool{}, more: make(chan struct{}), held: make(chan struct{}, 1000), free: make(chan struct{})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.addr = l.Addr().String()
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &smtpSession{server: m}, nil }))
	server.Domain, server.AllowInsecureAuth = "mx.test", true
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return m
}

type smtpSession struct {
	server *mailServer
	email  email
}

func (s *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	s.email = email{from: from}
	return nil
}

// refuse makes the server refuse every recipient for good, or accept each.
func (m *mailServer) refuse(no bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.no = no
}

// hold makes the server accept no email to these addresses until free is closed.
func (m *mailServer) hold(addresses []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, address := range addresses {
		m.slow[address] = true
	}
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if s.server.no {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox"}
	}
	s.email.recipients = append(s.email.recipients, to)
	return nil
}

func (s *smtpSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	l := s.email
	l.raw = string(raw)
	m := s.server
	m.mu.Lock()
	slow := m.slow[l.recipients[0]]
	m.mu.Unlock()
	if slow {
		m.held <- struct{}{}
		<-m.free
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = append(m.kept, &l)
	close(m.more)
	m.more = make(chan struct{})
	return nil
}

func (s *smtpSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *smtpSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(string, string, string) error { return nil }), nil
}

func (s *smtpSession) Reset()        { s.email = email{} }
func (s *smtpSession) Logout() error { return nil }

// all returns every email so far.
func (m *mailServer) all() []*email {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*email(nil), m.kept...)
}

// to returns the emails to the address so far, each once: one whose delivery was not recorded comes again.
func (m *mailServer) to(address string) []*email {
	var found []*email
	came := map[string]bool{}
	for _, l := range m.all() {
		if len(l.recipients) != 1 || !strings.EqualFold(l.recipients[0], address) {
			continue
		}
		if id := l.header(m.t).Get("Message-Id"); !came[id] {
			found, came[id] = append(found, l), true
		}
	}
	return found
}

// code waits for the oldest email with a code that was not taken yet. It takes
// that email and all before it, because emails that are sent at the same time
// come in any order.
func (m *mailServer) code(address string) string {
	m.t.Helper()
	for {
		if code := m.next(address).code(m.t); code != "" {
			return code
		}
	}
}

// next waits for the oldest email to the address that was not taken yet, and
// takes it.
func (m *mailServer) next(address string) *email {
	m.t.Helper()
	timeout := time.After(testform.Patience)
	for {
		m.mu.Lock()
		more := m.more
		m.mu.Unlock()
		for _, l := range m.to(address) {
			id := l.header(m.t).Get("Message-Id")
			m.mu.Lock()
			free := !m.taken[id]
			m.taken[id] = true
			m.mu.Unlock()
			if free {
				return l
			}
		}
		select {
		case <-more:
		case <-timeout:
			m.t.Fatalf("no email to %s came", address)
		}
	}
}

// header returns the parsed header.
func (l *email) header(t *testing.T) mail.Header {
	t.Helper()
	msg, err := mail.ReadMessage(strings.NewReader(l.raw))
	if err != nil {
		t.Fatalf("the email cannot be read: %v\n%s", err, l.raw)
	}
	return msg.Header
}

// subject returns the decoded subject.
func (l *email) subject(t *testing.T) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(l.header(t).Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bodies returns the decoded plain text and HTML.
func (l *email) bodies(t *testing.T) (text, html string) {
	t.Helper()
	msg, err := mail.ReadMessage(strings.NewReader(l.raw))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	for parts := multipart.NewReader(msg.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			return text, html
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			html = string(body)
		} else {
			text = string(body)
		}
	}
}

var (
	codeIn = regexp.MustCompile(`(?m)^ {4}([0-9]{6})\s*$`)
	linkIn = regexp.MustCompile(`https?://\S+/auth/confirm-link\?token=(\S+)`)
)

// code returns the code of an email, or "".
func (l *email) code(t *testing.T) string {
	t.Helper()
	text, _ := l.bodies(t)
	if m := codeIn.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// token returns the token of the emailed link, or "".
func (l *email) token(t *testing.T) string {
	t.Helper()
	text, _ := l.bodies(t)
	if m := linkIn.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

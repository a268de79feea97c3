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
)

// mailServer is where a site hands over its mails: a real SMTP server that
// keeps what it is told.
type mailServer struct {
	t    *testing.T
	addr string

	mu    sync.Mutex
	kept  []*letter
	taken map[*letter]bool
	more  chan struct{} // closed and replaced when a mail comes
}

// letter is one mail as it went over the wire.
type letter struct {
	from       string
	recipients []string
	raw        string
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	m := &mailServer{t: t, taken: map[*letter]bool{}, more: make(chan struct{})}
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
	letter letter
}

func (s *smtpSession) Mail(from string, _ *smtp.MailOptions) error {
	s.letter = letter{from: from}
	return nil
}

func (s *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.letter.recipients = append(s.letter.recipients, to)
	return nil
}

func (s *smtpSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	l := s.letter
	l.raw = string(raw)
	m := s.server
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

func (s *smtpSession) Reset()        { s.letter = letter{} }
func (s *smtpSession) Logout() error { return nil }

// all returns every mail so far.
func (m *mailServer) all() []*letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*letter(nil), m.kept...)
}

// to returns every mail so far that went to the address.
func (m *mailServer) to(address string) []*letter {
	var found []*letter
	for _, l := range m.all() {
		if len(l.recipients) == 1 && strings.EqualFold(l.recipients[0], address) {
			found = append(found, l)
		}
	}
	return found
}

// code waits for the oldest mail with a code that was not taken yet, and takes
// all before it: what is sent at the same time comes in any order.
func (m *mailServer) code(address string) string {
	m.t.Helper()
	for {
		if code := m.next(address).code(m.t); code != "" {
			return code
		}
	}
}

// next waits for the oldest mail to the address that was not taken yet and
// takes it.
func (m *mailServer) next(address string) *letter {
	m.t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		m.mu.Lock()
		more := m.more
		m.mu.Unlock()
		for _, l := range m.to(address) {
			m.mu.Lock()
			free := !m.taken[l]
			m.taken[l] = true
			m.mu.Unlock()
			if free {
				return l
			}
		}
		select {
		case <-more:
		case <-timeout:
			m.t.Fatalf("no mail to %s came", address)
		}
	}
}

// header returns the parsed header.
func (l *letter) header(t *testing.T) mail.Header {
	t.Helper()
	msg, err := mail.ReadMessage(strings.NewReader(l.raw))
	if err != nil {
		t.Fatalf("the mail cannot be read: %v\n%s", err, l.raw)
	}
	return msg.Header
}

// subject returns the decoded subject.
func (l *letter) subject(t *testing.T) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(l.header(t).Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bodies returns the decoded plain text and HTML.
func (l *letter) bodies(t *testing.T) (text, html string) {
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

// code returns the code of a mail, "" when it has none.
func (l *letter) code(t *testing.T) string {
	t.Helper()
	text, _ := l.bodies(t)
	if m := codeIn.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// token returns the token of the mailed link, "" when there is none.
func (l *letter) token(t *testing.T) string {
	t.Helper()
	text, _ := l.bodies(t)
	if m := linkIn.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

package mailer

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// received is one email that a server accepted.
type received struct {
	from     string
	to       []string
	data     string
	username string
	tls      bool
}

// sink is an SMTP server that stores what it receives.
type sink struct {
	addr string

	mu     sync.Mutex
	mails  []received
	conns  int
	refuse []error // the answers to the first EHLO and HELO commands
}

func (s *sink) refusal() (next error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refuse) > 0 {
		next, s.refuse = s.refuse[0], s.refuse[1:]
	}
	return next
}

func (s *sink) all() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.mails...)
}

func (s *sink) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// newSink starts a server. security is the encryption that the client uses.
func newSink(t testing.TB, security Security, secure *tls.Config, mechanisms ...string) *sink {
	t.Helper()
	s := &sink{}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		if err := s.refusal(); err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.conns++
		s.mu.Unlock()
		_, encrypted := c.TLSConnectionState()
		return &session{sink: s, mechanisms: mechanisms, mail: received{tls: encrypted}}, nil
	}))
	server.Domain, server.AllowInsecureAuth = "mx.test", security == Plain
	server.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableSMTPUTF8 = true // offered, and the client must not use it
	server.MaxLineLength = 1000  // RFC 5321 4.5.3.1.6, including the line end
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = ln.Addr().String()
	switch security {
	case StartTLS:
		server.TLSConfig = secure
	case ImplicitTLS:
		ln = tls.NewListener(ln, secure)
	}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(ln) })
	t.Cleanup(func() {
		_ = ln.Close() // Close misses a listener that Serve has not yet registered
		_ = server.Close()
		running.Wait()
	})
	return s
}

type session struct {
	sink       *sink
	mechanisms []string
	mail       received
}

func (s *session) AuthMechanisms() []string { return s.mechanisms }

func (s *session) Auth(mech string) (sasl.Server, error) {
	check := func(username, password string) error {
		if username != "ada" || password != "correct horse" {
			return smtp.ErrAuthFailed
		}
		s.mail.username = username
		return nil
	}
	if mech == sasl.Login {
		return &loginServer{check: check}, nil
	}
	return sasl.NewPlainServer(func(_, username, password string) error { return check(username, password) }), nil
}

// loginServer implements AUTH LOGIN, which asks for user and password in two
// steps.
type loginServer struct {
	check func(username, password string) error
	step  int
	name  string
}

func (l *loginServer) Next(response []byte) ([]byte, bool, error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.name = string(response)
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.name, string(response))
}

func (s *session) Mail(from string, opts *smtp.MailOptions) error {
	if opts.UTF8 {
		return errors.New("SMTPUTF8 was used")
	}
	s.mail.from, s.mail.to = from, nil
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.to = append(s.mail.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.data = string(data)
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	s.sink.mails = append(s.sink.mails, s.mail)
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// certificate returns a server configuration for the names, and the authority
// that signed it. Both expire at until.
func certificate(t testing.TB, until time.Time, names ...string) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}}, roots
}

// faulty is an SMTP server that follows a script. A key of the script is a
// command in lower case, "greeting", "." for the end of the content, or "after"
// for the action after that. A value is the reply, or one of the words below.
type faulty struct {
	addr string

	mu       sync.Mutex
	commands []string
	closed   chan struct{} // receives a value for each connection that ends
}

const (
	hangUp  = "hang up"
	silence = "silence"
	drip    = "drip" // one byte now and then, forever
	flood   = "flood"
)

func newFaulty(t testing.TB, script map[string]string) *faulty {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &faulty{addr: ln.Addr().String(), closed: make(chan struct{}, 100)}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer func() { _ = c.Close(); f.closed <- struct{}{} }()
				f.talk(c, script)
			})
		}
	})
	t.Cleanup(func() { _ = ln.Close(); running.Wait() })
	return f
}

func (f *faulty) said() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.commands...)
}

func (f *faulty) talk(c net.Conn, script map[string]string) {
	lines := bufio.NewReader(c)
	answer := func(key, normal string) bool {
		text, ok := script[key]
		if !ok {
			text = normal
		}
		switch text {
		case hangUp:
			return false
		case silence:
			_, _ = lines.ReadByte()
			return false
		case drip:
			for {
				if _, err := io.WriteString(c, "2"); err != nil {
					return false
				}
				time.Sleep(20 * time.Millisecond) // part of the fault, not a wait for the test
			}
		case flood:
			_, _ = io.Copy(c, io.LimitReader(endless{}, 10<<20))
			return false
		}
		_, err := io.WriteString(c, text+"\r\n")
		return err == nil
	}
	if !answer("greeting", "220 mx.test") {
		return
	}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		f.mu.Lock()
		f.commands = append(f.commands, line)
		f.mu.Unlock()
		verb := strings.ToLower(strings.Fields(line + " -")[0])
		normal := map[string]string{"data": "354 go on", "quit": "221 bye"}[verb]
		if normal == "" {
			normal = "250 ok"
		}
		if !answer(verb, normal) {
			return
		}
		if verb == "data" && script["data"] == "" {
			for line != ".\r\n" {
				if line, err = lines.ReadString('\n'); err != nil {
					return
				}
			}
			if !answer(".", "250 taken") || script["after"] == hangUp {
				return
			}
		}
	}
}

// endless is text without a line end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '2'
	}
	return len(p), nil
}

func serverAt(t testing.TB, scheme, addr, user, query string) Server {
	t.Helper()
	s, err := ParseURL(fmt.Sprintf("%s://%s%s%s", scheme, user, addr, query))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

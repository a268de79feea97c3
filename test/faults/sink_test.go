package faults

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// sink is a mail server that can misbehave. It implements the part of SMTP that
// Portico uses.
type sink struct {
	t        *testing.T
	addr     string
	listener net.Listener

	mu     sync.Mutex
	mode   mode
	mails  []delivered
	more   chan struct{}
	parked chan parked // a held delivery, in a mode that holds
	conns  map[net.Conn]bool
}

// mode is the behavior of the server.
type mode string

const (
	healthy    mode = "healthy"
	refusing   mode = "refusing connections"
	silent     mode = "accepting and saying nothing"
	tarpit     mode = "one byte a second"
	later      mode = "4xx to everybody"
	never      mode = "5xx to every recipient"
	vanishing  mode = "hanging up after the content"
	talkative  mode = "a greeting of 10 MB"
	holdBefore mode = "holding before the content"
	holdAfter  mode = "holding after the content"
	slow       mode = "taking its time"
)

// delivered is an email that the server has accepted.
type delivered struct {
	id, to, code, token string
	at                  time.Time
}

// parked is a held delivery. Closing release lets it continue.
type parked struct{ release chan struct{} }

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{t: t, mode: healthy, more: make(chan struct{}), parked: make(chan parked, 1000), conns: map[net.Conn]bool{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	s.listener = l
	go s.accept(l)
	t.Cleanup(func() {
		s.be(refusing)
	})
	return s
}

// be changes the behavior and closes all connections.
func (s *sink) be(m mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = m
	for c := range s.conns {
		_ = c.Close()
	}
	clear(s.conns)
	switch {
	case m == refusing && s.listener != nil:
		_ = s.listener.Close()
		s.listener = nil
	case m != refusing && s.listener == nil:
		l, err := listen(s.addr)
		if err != nil {
			s.t.Error(err)
			return
		}
		s.listener = l
		go s.accept(l)
	}
}

func (s *sink) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		m := s.mode
		s.mu.Unlock()
		go func() {
			s.talk(c, m)
			_ = c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		}()
	}
}

func (s *sink) talk(c net.Conn, m mode) {
	say := func(text string) { _, _ = io.WriteString(c, text+"\r\n") }
	switch m {
	case silent:
		_, _ = io.Copy(io.Discard, c)
		return
	case talkative:
		_, _ = io.WriteString(c, "220-"+strings.Repeat("x", 10<<20)+"\r\n")
	case tarpit:
		say = func(text string) {
			for _, b := range []byte(text + "\r\n") {
				time.Sleep(time.Second)
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
		}
	}
	if m == later {
		say("421 4.3.2 not now")
		return
	}
	say("220 mx.test ESMTP")
	to := ""
	for in := bufio.NewReader(c); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb := strings.ToUpper(strings.TrimSpace(line)); {
		case strings.HasPrefix(verb, "EHLO"):
			say("250 mx.test")
		case strings.HasPrefix(verb, "RCPT"):
			if m == never {
				say("550 5.1.1 nobody here")
				continue
			}
			to = between(line, "<", ">")
			say("250 ok")
		case strings.HasPrefix(verb, "DATA"):
			switch m {
			case holdBefore:
				s.hold()
			case slow:
				time.Sleep(rand.N(100 * time.Millisecond))
			}
			say("354 go on")
			text, err := content(in)
			if err != nil {
				return
			}
			s.take(to, text)
			switch m {
			case holdAfter:
				s.hold()
			case slow:
				time.Sleep(rand.N(100 * time.Millisecond))
			}
			if m == vanishing {
				return
			}
			say("250 taken")
		case strings.HasPrefix(verb, "QUIT"):
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *sink) hold() {
	p := parked{make(chan struct{})}
	s.parked <- p
	<-p.release
}

func content(in *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		if line == ".\r\n" {
			return b.String(), nil
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
}

func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}

var linkIn = regexp.MustCompile(`/auth/confirm-link\?token=([\w-]{43})`)

var codeIn = regexp.MustCompile(`(?m)^ {4}([0-9]{6})\s*$`)

func (s *sink) take(to, text string) {
	d := delivered{to: to, at: time.Now()}
	if m, err := mail.ReadMessage(strings.NewReader(text)); err == nil {
		d.id = m.Header.Get("Message-Id")
		body, _ := io.ReadAll(quotedprintable.NewReader(m.Body))
		if code := codeIn.FindStringSubmatch(string(body)); code != nil {
			d.code = code[1]
		}
		if link := linkIn.FindStringSubmatch(string(body)); link != nil {
			d.token = link[1]
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, d)
	close(s.more)
	s.more = make(chan struct{})
}

// all returns every email so far.
func (s *sink) all() []delivered {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]delivered(nil), s.mails...)
}

// code waits for an email with a code to the address. It returns "" if none
// comes in time.
func (s *sink) code(address string, limit time.Duration) string {
	return s.lastCode(address, 1, limit)
}

// lastCode waits for a number of emails with a code to the address, and returns
// the last code, or "" if they do not come in time.
func (s *sink) lastCode(address string, mails int, limit time.Duration) string {
	timeout := time.After(limit)
	for {
		s.mu.Lock()
		more, code, come := s.more, "", 0
		for _, d := range s.mails {
			if d.to == address && d.code != "" {
				code = d.code
				come++
			}
		}
		s.mu.Unlock()
		if come >= mails {
			return code
		}
		select {
		case <-more:
		case <-timeout:
			return ""
		}
	}
}

// codes returns every code that was emailed to the address, the last first.
func (s *sink) codes(address string) (codes []string) {
	for _, d := range s.all() {
		if d.to == address && d.code != "" {
			codes = append([]string{d.code}, codes...)
		}
	}
	return codes
}

// token returns the token of the emailed link, after its code has come.
func (s *sink) token(address string) string {
	s.t.Helper()
	s.code(address, 20*time.Second)
	for _, d := range s.all() {
		if d.to == address && d.token != "" {
			return d.token
		}
	}
	s.t.Fatalf("no link was emailed to %s", address)
	return ""
}

// forget drops the emails to the address, so that the next code is a new one.
func (s *sink) forget(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = slices.DeleteFunc(s.mails, func(d delivered) bool { return d.to == address })
}

// repeats returns the highest number of copies of one email, and which email it
// was.
func (s *sink) repeats() (most int, which string) {
	times := map[string]int{}
	for _, d := range s.all() {
		if times[d.id]++; times[d.id] > most {
			most, which = times[d.id], fmt.Sprintf("%s to %s", d.id, d.to)
		}
	}
	return most, which
}

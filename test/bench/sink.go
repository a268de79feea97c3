package main

import (
	"bufio"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
)

// codeIn finds the code in the text of an email, on a line of its own.
var codeIn = regexp.MustCompile(`(?m)^ {4}([0-9]{6})\s*$`)

// sink is a mail server that accepts every email and keeps none. It implements
// the part of SMTP that Portico uses.
type sink struct {
	net.Listener
	mu      sync.Mutex
	waiting map[string]chan string
}

func newSink() (*sink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{Listener: l, waiting: map[string]chan string{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.talk(c)
		}
	}()
	return s, nil
}

func (s *sink) close() error { return s.Listener.Close() }

// expect returns a channel for the code that will be emailed to the address.
func (s *sink) expect(address string) <-chan string {
	s.mu.Lock()
	defer s.mu.Unlock()
	code := make(chan string, 1)
	s.waiting[address] = code
	return code
}

func (s *sink) take(address string) chan<- string {
	s.mu.Lock()
	defer s.mu.Unlock()
	code := s.waiting[address]
	delete(s.waiting, address)
	return code
}

func (s *sink) talk(c net.Conn) {
	defer c.Close()
	say := func(text string) { _, _ = io.WriteString(c, text+"\r\n") }
	say("220 mail.bench.test ESMTP")
	to := ""
	for in := bufio.NewReader(c); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.ToUpper(verb) {
		case "RCPT":
			_, rest, _ = strings.Cut(rest, "<")
			to, _, _ = strings.Cut(rest, ">")
			say("250 ok")
		case "DATA":
			say("354 go on")
			if !s.content(in, to) {
				return
			}
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

// content reads an email to its end and sends its code to the caller who
// expects it.
func (s *sink) content(in *bufio.Reader, to string) bool {
	code := s.take(to)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return false
		}
		if string(line) == ".\r\n" {
			return true
		}
		if code != nil {
			if found := codeIn.FindSubmatch(line); found != nil {
				code <- string(found[1])
				code = nil
			}
		}
	}
}

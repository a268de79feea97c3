package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// conn is a keep-alive connection of a client. It must cost little, because the
// client and the server share the cores.
type conn struct {
	addr string
	net.Conn
	in   *bufio.Reader
	body []byte
}

func dial(addr string) (*conn, error) {
	c := &conn{addr: addr}
	return c, c.redial()
}

func (c *conn) redial() (err error) {
	if c.Conn, err = net.Dial("tcp", c.addr); err == nil {
		c.in = bufio.NewReaderSize(c.Conn, 8<<10)
	}
	return err
}

// answer is a response. Its body is valid until the next request.
type answer struct {
	status     int
	retryAfter int    // seconds; 0 without the header
	device     string // the cookie of a known browser, if it was set
	location   string // where a redirect leads
	body       []byte
}

// do sends a request and reads the response. It supports a Content-Length and
// no chunks, as the servers of this program send.
func (c *conn) do(request []byte) (answer, error) {
	if _, err := c.Write(request); err != nil {
		return answer{}, err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return answer{}, err
	}
	var a answer
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return a, fmt.Errorf("no answer of HTTP: %q", line)
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, err
	}
	length, last, err := c.header(&a)
	if err != nil {
		return a, err
	}
	if length < 0 {
		return a, errors.New("the answer has no length")
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	a.body = c.body[:length]
	if _, err := io.ReadFull(c.in, a.body); err != nil {
		return a, err
	}
	if last {
		_ = c.Close()
		err = c.redial()
	}
	return a, err
}

// header reads the fields. It returns the length of the body, and whether the
// connection ends after it.
func (c *conn) header(a *answer) (length int, last bool, err error) {
	length = -1
	if a.status == 204 || a.status == 304 {
		length = 0
	}
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return length, last, nil
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Content-Length":
			length, err = strconv.Atoi(string(value))
		case "Retry-After":
			a.retryAfter, err = strconv.Atoi(string(value))
		case "Location":
			a.location = string(value)
		case "Set-Cookie":
			if cookie, ok := bytes.CutPrefix(value, []byte(deviceCookie+"=")); ok {
				cookie, _, _ = bytes.Cut(cookie, []byte(";"))
				a.device = string(cookie)
			}
		case "Connection":
			last = string(value) == "close"
		}
		if err != nil {
			return 0, false, err
		}
	}
}

// want returns an error unless the status is the expected one.
func (a answer) want(status int) error {
	if a.status != status {
		return fmt.Errorf("status %d instead of %d: %s", a.status, status, a.body[:min(len(a.body), 300)])
	}
	return nil
}

package spoof

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	trialTime = 10 * time.Second
	maxBody   = 1 << 20
)

// The address that requests are sent to.
type entrance struct {
	url  *url.URL
	addr string // "" for the host of the URL
	tls  *tls.Config
}

// request is sent byte for byte, because net/http would correct the deliberate
// mistakes.
type request struct {
	method, target string
	lines          []string
	body           string
	proto          string // "" for HTTP/1.1
}

func (q request) with(body string) request {
	q.body = body
	return q
}

type answer struct {
	status   int
	body     string
	bodiless bool // because of its method
	location string
}

// saying returns a short description of an answer.
func (a answer) saying() string {
	if a.location != "" {
		return fmt.Sprintf("%d to %s", a.status, a.location)
	}
	return strconv.Itoa(a.status)
}

// send sends a request on a new connection. It waits at most trialTime and
// reads at most maxBody bytes of the body.
func (d entrance) send(ctx context.Context, q request) (answer, error) {
	ctx, stop := context.WithTimeout(ctx, trialTime)
	defer stop()
	c, err := d.dial(ctx)
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	release := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer release()
	line := q.method + " " + q.target + cmp.Or(q.proto, " HTTP/1.1") + "\r\n"
	lines := q.lines
	if !strings.Contains(strings.Join(lines, "\n"), "Connection:") {
		lines = append(append([]string(nil), lines...), "Connection: close")
	}
	if _, err := io.WriteString(c, line+strings.Join(lines, "\r\n")+"\r\n\r\n"+q.body); err != nil {
		return answer{}, err
	}
	response, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: strings.ToUpper(q.method)})
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return answer{status: response.StatusCode}, nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxBody)) // a part of the body is enough
	return answer{response.StatusCode, string(body), q.method == http.MethodHead, response.Header.Get("Location")}, nil
}

func (d entrance) dial(ctx context.Context) (net.Conn, error) {
	secure := d.url.Scheme == "https"
	addr := d.addr
	if addr == "" {
		port := d.url.Port()
		switch {
		case port == "" && secure:
			port = "443"
		case port == "":
			port = "80"
		}
		addr = net.JoinHostPort(d.url.Hostname(), port)
	}
	if !secure {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	config := d.tls.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	config.ServerName = d.url.Hostname()
	dialer := tls.Dialer{Config: config}
	return dialer.DialContext(ctx, "tcp", addr)
}

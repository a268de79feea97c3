package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// bareApp responds below /x with bytes that the test chooses, and records the
// bytes that it received.
type bareApp struct {
	addr string

	mu     sync.Mutex
	answer string
	header string // headers of the last request below /x, in order
}

func newBareApp(t testing.TB) *bareApp {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &bareApp{addr: l.Addr().String()}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { a.serve(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
	return a
}

// serve reads one complete request, responds, and closes the connection.
func (a *bareApp) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	var raw strings.Builder
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(c, &raw)))
	if err != nil {
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	if !strings.HasPrefix(r.URL.Path, "/x") { // a request of the watcher
		_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
		return
	}
	header, _, _ := strings.Cut(raw.String(), "\r\n\r\n")
	lines := slices.DeleteFunc(strings.Split(header, "\r\n"), func(line string) bool {
		name, _, _ := strings.Cut(line, ":")
		return name == "Content-Length" || name == "Transfer-Encoding" || name == "X-Request-Id"
	})
	slices.Sort(lines)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.header = strings.Join(lines, "\n")
	_, _ = io.WriteString(c, a.answer)
}

func (a *bareApp) will(answer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer, a.header = answer, ""
}

func (a *bareApp) got() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.header
}

// transcript returns the whole response without the parts that differ each
// time.
func (s *site) transcript(request string) string {
	s.Helper()
	c := s.dial()
	_, _ = io.WriteString(c, request)
	var all, header []string
	ids := 0
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		switch {
		case strings.HasPrefix(line, "X-Request-Id: ") && !strings.Contains(line, "evil"):
			ids++
		case strings.HasPrefix(line, "Date: ") && !strings.Contains(line, "1970"):
		case strings.Contains(line, `"request_id":`): // in an error page
		case strings.HasSuffix(line, "\r\n") && line != "\r\n":
			header = append(header, line)
		default:
			slices.Sort(header)
			all, header = append(append(all, header...), line), nil
		}
		if err != nil {
			return fmt.Sprint(ids, unframed(strings.Join(all, "")))
		}
	}
}

// unframed removes the framing of a response without a body. ReverseProxy
// flushes the header concurrently with copying the body, so the framing is
// either a length of 0 or an empty chunk.
func unframed(answer string) string {
	if empty, ok := strings.CutSuffix(answer, "\r\n\r\n0\r\n\r\n"); ok {
		return strings.Replace(empty+"\r\n\r\n", "Transfer-Encoding: chunked\r\n", "", 1)
	}
	return strings.Replace(answer, "Content-Length: 0\r\n", "", 1)
}

// FuzzWays sends the same request without a body, with one, and chunked. The
// app must get the same headers each time, and the client the same response,
// byte for byte. No response may have a header that apps may not send.
func FuzzWays(f *testing.F) {
	type seed struct{ line, interim, header, trailer string }
	for _, one := range []seed{
		{},
		{line: "Accept: a"},
		{line: "X-Latin: caf\xe9"},
		{line: "Cookie: a=b; portico-session=x; c=\"d;e\""},
		{line: "TE: trailers, deflate"},
		{line: "Content_Length: 7"},
		{line: "Transfer.Encoding: chunked"},
		{line: "Trailer: X-Portico-User"},
		{header: "Set-Cookie: a=b\r\nSet-Cookie: portico-session=evil\r\nSet-Cookie: c=d\r\nClear-Site-Data: \"cookies\"\r\n"},
		{header: "X-Request-Id: evil\r\nCache-Control: max-age=1\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"},
		{header: "Connection: X-Hop, Keep-Alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: x\r\nUpgrade: h2c\r\n"},
		{header: "Content-Length: 2\r\n"},
		{header: "Content-Length: 2\r\nContent-Length: 3\r\n"},
		{header: "Transfer-Encoding: gzip\r\n"},
		{header: "A: " + strings.Repeat("a", 300<<10) + "\r\n"},
		{header: "no header\r\n"},
		{header: "Content-Type: text/event-stream; x\r\n"},
		{header: "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n", trailer: "Sum: 5\r\nMore: 6\r\n"},
		{header: "Trailer: Sum, Set-Cookie\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n", trailer: "Sum: 5\r\nSet-Cookie: portico-session=evil\r\nX-Request-Id: evil\r\n"},
		{header: "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"},
		{header: "Content-Length: 10\r\n\r\nhalf"},
		{interim: "103 Early Hints\r\nLink: </a>\r\nSet-Cookie: portico-session=evil\r\nX-Request-Id: evil\r\n"},
		{interim: "100 Continue\r\n", header: "Content-Length: 0\r\n"},
		{interim: "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"},
		{interim: strings.Repeat("103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 ", 17) + "102 Processing\r\n"},
		{interim: "SSH-2.0\r\n"},
	} {
		f.Add(one.line, one.interim, one.header, one.trailer)
	}
	for _, line := range spoofs {
		f.Add(line, "", "", "")
	}
	app := newBareApp(f)
	s := start(f, behind("http://"+app.addr, "public /*"))
	f.Fuzz(func(t *testing.T, line, interim, header, trailer string) {
		name, _, _ := strings.Cut(line, ":")
		if frames(name) || strings.ContainsAny(line, "\r\n") {
			t.Skip("another request")
		}
		answer := ""
		if interim != "" {
			answer = "HTTP/1.1 " + interim + "\r\n"
		}
		answer += "HTTP/1.1 200 OK\r\nConnection: close\r\n" + header + trailer + "\r\n"
		if line != "" {
			line += "\r\n"
		}
		head := "GET /x?a=b;c&d=%zz HTTP/1.1\r\nHost: " + s.host + "\r\nConnection: close\r\nUser-Agent: x\r\n" + line
		one := *s
		one.TB = t
		var sent, read []string
		for _, body := range []string{"\r\n", "Content-Length: 2\r\n\r\nab", "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Trailer: evil\r\n\r\n"} {
			app.will(answer)
			read = append(read, one.transcript(head+body))
			sent = append(sent, app.got())
		}
		for i := 1; i < len(read); i++ {
			if sent[i] != sent[0] {
				t.Errorf("the app reads\n%.900q\nwithout a body, and\n%.900q\nwith one", sent[0], sent[i])
			}
			if read[i] != read[0] {
				t.Errorf("the client reads\n%.900q\nwithout a body, and\n%.900q\nwith one", read[0], read[i])
			}
		}
		broken := read[0] == "0" || sent[0] == "" // the connection ended during the response, or net/http refused the request
		if head, _, _ := strings.Cut(strings.ToLower(read[0]), "\r\n\r\n"); !broken && (!strings.HasPrefix(head, "1") || forbidden(head)) {
			t.Errorf("the client reads %.900q", read[0])
		}
	})
}

// frames reports whether a header changes the framing of a request.
func frames(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)) {
	case "Content-Length", "Transfer-Encoding", "Expect", "Upgrade", "Host":
		return true
	}
	return false
}

// forbidden reports whether apps may not send a header.
func forbidden(header string) bool {
	for _, line := range strings.Split(header, "\r\n") {
		for _, bad := range []string{"set-cookie: portico", "set-cookie: __host-portico", "x-request-id: evil", "nel:", "report-to:", "alt-svc:", "clear-site-data:", "keep-alive:"} {
			if strings.HasPrefix(line, bad) {
				return true
			}
		}
	}
	return false
}

// The gateway passes on up to maxInterim interim responses.
func TestInterim_Bounded(t *testing.T) {
	t.Parallel()
	app := newBareApp(t)
	s := start(t, behind("http://"+app.addr, "public /*"))
	const early, end = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"
	head := "GET /x HTTP/1.1\r\nHost: " + s.host + "\r\nConnection: close\r\n"
	for _, body := range []string{"\r\n", "Content-Length: 2\r\n\r\nab"} {
		app.will(strings.Repeat(early, 16) + end)
		if got := s.transcript(head + body); strings.Count(got, " 103 ") != 16 || !strings.Contains(got, " 200 ") {
			t.Errorf("16 of them: %q", got)
		}
		app.will(strings.Repeat(early, 1<<16))
		if got := s.transcript(head + body); strings.Count(got, " 103 ") != 16 || !strings.Contains(got, " 502 ") {
			t.Errorf("without end: %.900q", got)
		}
	}
}

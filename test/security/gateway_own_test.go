package security

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestSEC153_NoBackDoorForMachines(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for _, agent := range []string{"kube-probe/1.0", "GoogleHC/1.0", "ELB-HealthChecker/2.0", "Prometheus/3", "curl/8"} {
		v := s.visitor()
		v.header.Set("User-Agent", agent)
		v.do("GET", "/auth/api/session", "", nil).refused(401, "session.required")
		if a := v.get("/auth/account"); a.status != 303 {
			t.Errorf("%s sees the account page: %d", agent, a.status)
		}
		for _, target := range []string{"/livez", "/readyz", "/healthz", "/ping", "/metrics", "/debug/pprof/", "/status"} {
			if a := v.do("GET", target, "", nil); a.status != 404 {
				t.Errorf("%s on the public listener gets status %d", target, a.status)
			}
		}
	}
	// The operations listener serves health checks and nothing else.
	for target, want := range map[string]int{"/livez": 200, "/readyz": 200, "/auth/signin": 404, "/auth/api/session": 404, "/debug/pprof/": 404} {
		resp, err := http.Get("http://" + s.ops + target)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want || want == 200 && len(body) > 20 {
			t.Errorf("%s on the operations listener gets status %d %.100s", target, resp.StatusCode, body)
		}
	}
}

func TestSEC155_FailsClosed(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor().register(address)
	token := v.cookie("session")
	s.restart() // empties the caches
	s.breakStore()
	w := s.with(token)
	if a := w.do("GET", "/auth/api/session", "", nil); a.status < 500 {
		t.Errorf("a session that cannot be looked up gets status %d", a.status)
	}
	if a := w.get("/auth/account"); a.status < 500 {
		t.Errorf("the account page gets status %d", a.status)
	}
	for operation, body := range map[string]object{
		"signin":          {"email": address, "password": good},
		"signup":          {"email": fresh("n"), "password": good, "confirm_password": good},
		"forgot-password": {"email": address},
		"verify-code":     {"flow": flowID, "code": "000000"},
	} {
		w := s.visitor()
		w.cookies[w.cookieName("browser")] = v.cookie("browser")
		if a := w.post(operation, body); a.status < 500 || len(a.header["Set-Cookie"]) > 0 {
			t.Errorf("%s without a database gets status %d with the cookies %v", operation, a.status, a.header["Set-Cookie"])
		}
	}
	s.visitor().get("/auth/signin").must(200) // pages without data still work
	resp, err := http.Get("http://" + s.ops + "/livez")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("the process seems dead: %v", err)
	}
}

func TestSEC157_FramingIsUnambiguous(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	head := "POST /auth/api/signin HTTP/1.1\r\nHost: portico.test\r\nOrigin: " + s.origin + "\r\nContent-Type: application/json\r\n"
	valid := strings.Replace(head, "signin", "forgot-password", 1)
	inner := "GET /auth/smuggled HTTP/1.1\r\nHost: portico.test\r\n\r\n"
	for name, request := range map[string]string{
		"CL.TE":                     head + "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
		"TE.CL":                     head + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n5c\r\n" + inner + "\r\n0\r\n\r\n",
		"chunked":                   head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
		"a right body in a chunk":   valid + "Transfer-Encoding: chunked\r\n\r\n14\r\n{\"email\":\"a@x.test\"}\r\n0\r\n\r\n",
		"a right body in both":      valid + "Content-Length: 20\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n{\"email\":\"a@x.test\"}\r\n0\r\n\r\n",
		"chunked, identity":         head + "Transfer-Encoding: chunked, identity\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"identity":                  head + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"xchunked":                  head + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"a tab before chunked":      head + "Transfer-Encoding:\tchunked\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"a blank before the colon":  head + "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"two lengths":               head + "Content-Length: 2\r\nContent-Length: 10\r\n\r\n{}" + inner,
		"a list of lengths":         head + "Content-Length: 2, 10\r\n\r\n{}" + inner,
		"a negative length":         head + "Content-Length: -1\r\n\r\n" + inner,
		"a length with a sign":      head + "Content-Length: +2\r\n\r\n{}" + inner,
		"a huge length":             head + "Content-Length: 99999999999999999999\r\n\r\n" + inner,
		"bare LF in chunks":         head + "Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n" + inner,
		"an extension with LF":      head + "Transfer-Encoding: chunked\r\n\r\n2;a\nb\r\n{}\r\n0\r\n\r\n" + inner,
		"a huge chunk":              head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}" + inner,
		"two hosts":                 strings.Replace(head, "Host: portico.test\r\n", "Host: portico.test\r\nHost: evil.test\r\n", 1) + "Content-Length: 2\r\n\r\n{}" + inner,
		"no host":                   strings.Replace(head, "Host: portico.test\r\n", "", 1) + "Content-Length: 2\r\n\r\n{}" + inner,
		"a folded header":           head + "X-A: b\r\n Content-Length: 2\r\n\r\n",
		"CR in a header":            head + "X-A: b\rContent-Length: 2\r\n\r\n{}" + inner,
		"NUL in a header":           head + "X-A: b\x00c\r\nContent-Length: 2\r\n\r\n{}" + inner,
		"HTTP/2 by prior knowledge": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"an upgrade to h2c":         strings.Replace(head, "POST", "GET", 1) + "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 0\r\n\r\n",
		"an odd version":            strings.Replace(head, "HTTP/1.1", "HTTP/1.2", 1) + "Content-Length: 2\r\n\r\n{}",
		"an absolute target":        strings.Replace(head, "POST /auth", "POST http://169.254.169.254/auth", 1) + "Content-Length: 2\r\n\r\n{}",
	} {
		answers := s.raw(request)
		for i, a := range answers {
			if a.status < 400 || i > 0 {
				t.Errorf("%s: answer %d is %d: a second request was read from the body of the first", name, i+1, a.status)
			}
		}
		if len(answers) == 0 {
			t.Logf("%s: the connection is closed without an answer", name)
		}
	}
	if n := strings.Count(s.log.String(), "smuggled"); n != 0 {
		t.Errorf("the log has %d smuggled requests", n)
	}
}

package security

import (
	"bufio"
	"net"
	"net/http"
	"net/url"
	"testing"

	"portico/internal/config"
)

// operations sends a request to the operations listener, with a Host of its own.
func (s *site) operations(method, target, host string) int {
	s.Helper()
	conn, err := net.Dial("tcp", s.ops)
	if err != nil {
		s.Fatal(err)
	}
	defer conn.Close()
	protocol, field := "HTTP/1.1", "Host: "+host+"\r\n"
	if host == "" {
		protocol, field = "HTTP/1.0", ""
	}
	_, _ = conn.Write([]byte(method + " " + target + " " + protocol + "\r\n" + field + "Connection: close\r\n\r\n"))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		s.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// A page lets its own name lead to the listener, so a name that a stranger can have gets no
// metrics. Scrapers come by the others.
func TestSEC352_NoPageReadsTheMetrics(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.PublicURL = &url.URL{Scheme: "https", Host: "login.acme.co.uk"}
		c.OpsListen = "metrics.acme-infra.net:9080"
	})
	for _, host := range []string{
		"evil.test", "evil.test:9080", "EVIL.TEST.", "evil.com", "127.0.0.1.evil.com", "127.0.0.1.nip.io:9080", "localhost.evil.com:80", "acme.co.uk.evil.com", "evilacme.co.uk", "other.co.uk", "co.uk",
		"login.acme.co", "x.metrics.acme-infra.net", "acme-infra.net", "evil.localhost.com", "evil.local.com", "0x7f.1", "127.1", "evil.com:9080:127.0.0.1", "[evil.com]:9080", "portico.evil",
	} {
		if got := s.operations("GET", "/metrics", host); got != http.StatusMisdirectedRequest && got != http.StatusBadRequest {
			t.Errorf("/metrics at %q: %d", host, got)
		}
		if got := s.operations("POST", "/reload", host); got != http.StatusMisdirectedRequest && got != http.StatusBadRequest {
			t.Errorf("/reload at %q: %d", host, got)
		}
	}
	for _, host := range []string{
		"", "127.0.0.1:9080", "127.0.0.1", "10.1.2.3:80", "[::1]:9080", "[2001:db8::1]", "localhost", "LOCALHOST:9080", "portico:9080", "portico", "portico.auth.svc:9080", "portico.auth.svc.cluster.local.:9080",
		"node1.local", "node1.internal:9080", "ip-10-0-0-5.eu-west-1.compute.internal:9080", "login.acme.co.uk", "Node1.Mon.ACME.co.uk:9080", "acme.co.uk", "metrics.acme-infra.net:9080",
	} {
		if got := s.operations("GET", "/metrics", host); got != http.StatusOK {
			t.Errorf("/metrics at %q: %d", host, got)
		}
	}
	for _, target := range []string{"/livez", "/readyz"} {
		if got := s.operations("GET", target, "balancer.example.com"); got != http.StatusOK {
			t.Errorf("%s: %d", target, got)
		}
	}
}

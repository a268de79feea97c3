package origin_test

import (
	"errors"
	"net/url"
	"testing"

	"portico/internal/origin"
)

func TestOf(t *testing.T) {
	t.Parallel()
	cases := []struct{ in, want string }{
		{"https://portico.test/auth?x=1#y", "https://portico.test"},
		{"HTTPS://Portico.TEST:443/", "https://portico.test"},
		{"http://portico.test:80", "http://portico.test"},
		{"http://portico.test:443", "http://portico.test:443"},
		{"https://portico.test:8443", "https://portico.test:8443"},
		{"http://[::1]:80/", "http://[::1]"},
	}
	for _, c := range cases {
		t.Run(c.in, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := origin.Of(u); got != c.want {
				t.Errorf("Of(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		"https://app.test", "http://localhost:8080", "https://app.test:8443", "http://127.0.0.1:3000", "http://[::1]:3000", "https://app.test:65535", "https://[2001:db8::1]",
	} {
		if err := origin.Check(good); err != nil {
			t.Errorf("Check(%q) = %v, want nil", good, err)
		}
	}
	for _, bad := range []string{
		"", "app.test", "//app.test", "https://", "https:app.test", "https://app.test/", "https://app.test/path", "https://app.test?x",
		"https://app.test#x", "https://user@app.test", "https://user:pw@app.test", "https://App.test", "HTTPS://app.test", "https://app.test:443",
		"https://app.test:", "https://app.test:x", "https://app.test.", "https://*.app.test", "https://app.test\\.evil.test", "https://app%2etest",
		"javascript:alert(1)", "ftp://app.test", "https://ａpp.test", "null", "https://app.test https://evil.test",
		"https://app.test]", "https://[app.test]", "https://[::1", "https://app.test:8443]", "https://[::1%25lo]", "https://app..test", "https://.app.test",
		"https://app.test:0443", "https://app.test:08443", "https://app.test:0", "https://app.test:65536",
	} {
		if err := origin.Check(bad); !errors.Is(err, origin.ErrForm) {
			t.Errorf("Check(%q) = %v, want ErrForm", bad, err)
		}
	}
}

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "10.0.0.1": false, "localhost.evil.test": false, "127.0.0.1.evil.test": false, "::": false,
	} {
		if got := origin.IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) = %v, want %v", host, got, want)
		}
	}
}

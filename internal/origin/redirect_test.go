package origin_test

import (
	"errors"
	"testing"

	"portico/internal/origin"
)

func TestCheckReturn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"https://app.test/cb":         nil,
		"https://app.test":            nil,
		"https://app.test:8443/cb?x":  nil,
		"http://localhost/cb":         nil,
		"http://127.0.0.1:7000/cb":    nil,
		"http://[::1]/cb":             nil,
		"com.example.app:/cb":         nil,
		"http://app.test/cb":          origin.ErrPlain,
		"https://app.test/cb#x":       origin.ErrReturn,
		"https://app.test/cb#":        origin.ErrReturn,
		"https://*.app.test/cb":       origin.ErrReturn,
		"https://user@app.test/cb":    origin.ErrReturn,
		"https://app.test/c b":        origin.ErrReturn,
		"https://app.test\\.evil/cb":  origin.ErrReturn,
		"https://app.test/\u202ecb":   origin.ErrReturn,
		"javascript:alert(1)":         origin.ErrReturn,
		"data:text/html,x":            origin.ErrReturn,
		"myapp:/cb":                   origin.ErrReturn,
		"com.example.app://host/path": origin.ErrReturn,
		"/cb":                         origin.ErrReturn,
		"":                            origin.ErrReturn,
	} {
		if err := origin.CheckReturn(text); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestSameHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, site string
		want          bool
	}{
		{"https://login.test/cb", "https://login.test", true},
		{"https://LOGIN.test:8443/cb", "https://login.test", true},
		{"https://a.login.test/cb", "https://login.test", false},
		{"https://login.test.evil.test/cb", "https://login.test", false},
		{"com.login.test:/cb", "https://login.test", false},
		{"https://login.test/cb", "", false},
		{"com.example.app:/cb", "", false},
		{"http://localhost:8080/cb", "http://localhost:8080", true},
		{"http://localhost:3000/cb", "http://localhost:8080", false},
	} {
		if got := origin.SameHost(c.address, c.site); got != c.want {
			t.Errorf("SameHost(%q, %q) = %v", c.address, c.site, got)
		}
	}
}

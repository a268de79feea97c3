package origin_test

import (
	"errors"
	"testing"

	"portico/internal/origin"
)

func TestCheckReturn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"https://app.test/cb":        nil,
		"https://app.test":           nil,
		"https://app.test:8443/cb?x": nil,
		"http://localhost/cb":        nil,
		"http://127.0.0.1:7000/cb":   nil,
		"http://[::1]/cb":            nil,
		"com.example.app:/cb":        nil,
		"com.example.app://callback": nil,
		"com.example.app://a.test/x": nil,
		"com.example.app://":         nil,
		"http://app.test/cb":         origin.Insecure,
		"https://app.test/cb#x":      origin.Fragment,
		"https://app.test/cb#":       origin.Fragment,
		"https://*.app.test/cb":      origin.Wildcard,
		"https://user@app.test/cb":   origin.HasUser,
		"com.example.app://u@x":      origin.HasUser,
		"https://app.test/c b":       origin.NotPlain,
		"https://app.test\\.evil/cb": origin.Backslash,
		"https://app.test/\u202ecb":  origin.NotPlain,
		"https://müller.test/cb":     origin.NotPlain,
		"https://app.test:99999/cb":  origin.BadHost,
		"https:///cb":                origin.BadHost,
		"com.example.app://a_b/cb":   origin.BadHost,
		"https://app.test:x/cb":      origin.Unreadable,
		"javascript:alert(1)":        origin.CommonScheme,
		"data:text/html,x":           origin.CommonScheme,
		"myapp:/cb":                  origin.CommonScheme,
		"myapp://cb":                 origin.CommonScheme,
		"/cb":                        origin.NoScheme,
		"app.test/cb":                origin.NoScheme,
		"":                           origin.NoScheme,
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
		{"com.example.app://login.test/android/cb", "https://login.test", false},
		{"http://localhost:8080/cb", "http://localhost:8080", true},
		{"http://localhost:3000/cb", "http://localhost:8080", false},
	} {
		if got := origin.SameHost(c.address, c.site); got != c.want {
			t.Errorf("SameHost(%q, %q) = %v", c.address, c.site, got)
		}
	}
}

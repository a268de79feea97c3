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

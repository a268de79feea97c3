package screens

import (
	"strings"
	"testing"
)

// The limits equal the limits of the setting brand.logo.
func TestNewLogo(t *testing.T) {
	t.Parallel()
	const png, jpeg = "\x89PNG\x0D\x0A\x1A\x0A", "\xFF\xD8\xFF\xE0"
	for name, test := range map[string]struct {
		data string
		want string // type; "" if it is refused
	}{
		"PNG":       {png + strings.Repeat("x", 256<<10-len(png)), "image/png"},
		"too large": {png + strings.Repeat("x", 256<<10-len(png)+1), ""},
		"JPEG":      {jpeg, ""},
		"SVG":       {`<svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml"},
		"text":      {"logo", ""},
	} {
		logo, err := NewLogo([]byte(test.data))
		switch {
		case test.want == "" && err == nil:
			t.Errorf("%s is accepted", name)
		case test.want != "" && (err != nil || logo.Type != test.want):
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

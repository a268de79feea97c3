package once_test

import (
	"strings"
	"testing"

	"portico/internal/once"
)

func TestParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", once.MostKey)
	for header, want := range map[string]string{`"a-1"`: "a-1", "a-1": "a-1", long: long, `"` + long + `"`: long} {
		if got, ok := once.Parse(header); !ok || got != want {
			t.Errorf("%q is the key %q, %v", header, got, ok)
		}
	}
	for _, wrong := range []string{"", `"`, `""`, `"a`, `a"`, `"a"b"`, "a b", "a\n", "ä", `a\`, long + "k"} {
		if got, ok := once.Parse(wrong); ok {
			t.Errorf("%q is the key %q", wrong, got)
		}
	}
}

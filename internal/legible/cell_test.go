package legible_test

import (
	"testing"

	"portico/internal/legible"
)

func TestInert(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "Mara": "Mara", "a=b+c": "a=b+c", "Mozilla/5.0 (X11; Linux) - 1": "Mozilla/5.0 (X11; Linux) - 1",
		"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@A1": "'@A1", "＝1": "'＝1", "\t=1": "'\t'=1", "\r\n=1": "'\r\n'=1",
		"x;=1+1;": "x;'=1+1;", "x;;@A1": "x;;'@A1", "x\t+1": "x\t'+1", "x\n-1": "x\n'-1", `x;"=1"`: `x;"'=1"`, "=1;=2": "'=1;'=2",
	} {
		if got := legible.Inert(cell); got != want {
			t.Errorf("%q becomes %q, want %q", cell, got, want)
		}
	}
}

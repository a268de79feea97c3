package password

import (
	"errors"
	"strings"
	"testing"
)

func TestAside_ReturnsTheError(t *testing.T) {
	t.Parallel()
	want := errors.New("refused")
	if err := aside(func() error { return want }); err != want {
		t.Errorf("the error is %v, want %v", err, want)
	}
}

// A panic on a thread of its own would end the process, not the request.
func TestAside_PanicsInTheCaller(t *testing.T) {
	t.Parallel()
	defer func() {
		text, _ := recover().(string)
		if !strings.HasPrefix(text, "out of luck") || !strings.Contains(text, "aside_test.go") {
			t.Errorf("the caller recovered %q, want the panic and where it came from", text)
		}
	}()
	_ = aside(func() error { panic("out of luck") })
	t.Error("the panic is lost")
}

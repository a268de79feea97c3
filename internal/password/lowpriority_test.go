package password

import (
	"errors"
	"strings"
	"testing"
)

func TestAtLowPriority_ReturnsTheError(t *testing.T) {
	t.Parallel()
	want := errors.New("refused")
	if err := atLowPriority(func() error { return want }); err != want {
		t.Errorf("the error is %v, want %v", err, want)
	}
}

// A panic on another thread would end the process instead of the request.
func TestAtLowPriority_PanicsInTheCaller(t *testing.T) {
	t.Parallel()
	defer func() {
		text, _ := recover().(string)
		if !strings.HasPrefix(text, "out of luck") || !strings.Contains(text, "lowpriority_test.go") {
			t.Errorf("the caller recovered %q, want the panic and where it came from", text)
		}
	}()
	_ = atLowPriority(func() error { panic("out of luck") })
	t.Error("the panic is lost")
}

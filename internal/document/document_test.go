package document_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"portico/internal/document"
)

// A load that fails has its error, also if the clock is set back before the caller gets it.
func TestCurrent_ClockSetBackDuringALoad(t *testing.T) {
	t.Parallel()
	now, down := time.Now(), errors.New("down")
	d := document.New(func() time.Time {
		now = now.Add(-time.Minute)
		return now
	}, time.Hour, func(context.Context) (string, error) { return "", down })
	if value, err := d.Current(t.Context()); !errors.Is(err, down) {
		t.Errorf("%q, %v", value, err)
	}
}

package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"portico/internal/fault"
)

var ignoreCause = cmpopts.IgnoreUnexported(fault.Error{})

func TestWith_CopiesAndLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	base := fault.New(fault.Limited, "test.limited")
	params := map[string]string{"count": "3"}
	fields := []fault.Field{{Name: "code", Code: "test.field"}}

	got := base.WithParams(params).WithFields(fields...).WithRetryAfter(time.Minute).WithCause(io.EOF)
	params["count"] = "99"
	fields[0].Name = "changed"

	want := &fault.Error{
		Kind:       fault.Limited,
		Code:       "test.limited",
		Params:     map[string]string{"count": "3"},
		Fields:     []fault.Field{{Name: "code", Code: "test.field"}},
		RetryAfter: time.Minute,
	}
	if diff := cmp.Diff(want, got, ignoreCause); diff != "" {
		t.Errorf("fault differs (-want +got):\n%s", diff)
	}
	if !errors.Is(got, io.EOF) {
		t.Error("the cause is not in the chain")
	}
	if diff := cmp.Diff(fault.New(fault.Limited, "test.limited"), base, ignoreCause); diff != "" {
		t.Errorf("the original changed (-want +got):\n%s", diff)
	}
	if base.Unwrap() != nil {
		t.Error("the original got a cause")
	}
}

func TestIs_ComparesCodes(t *testing.T) {
	t.Parallel()
	wrong := fault.New(fault.Invalid, "test.wrong")
	detailed := fmt.Errorf("step: %w", wrong.WithParams(map[string]string{"count": "1"}).WithCause(io.EOF))
	if !errors.Is(detailed, wrong) {
		t.Error("a copy with details is not the fault it was made from")
	}
	if errors.Is(detailed, fault.New(fault.Invalid, "test.other")) {
		t.Error("faults with different codes are equal")
	}
	if errors.Is(wrong, io.EOF) {
		t.Error("a fault without a cause equals a foreign error")
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	known := fault.New(fault.Missing, "test.missing")
	cases := []struct {
		name string
		err  error
		kind fault.Kind
		code string
	}{
		{"a fault", known, fault.Missing, "test.missing"},
		{"a wrapped fault", fmt.Errorf("look up: %w", known), fault.Missing, "test.missing"},
		{"the outermost of two", fault.New(fault.Expired, "test.outer").WithCause(known), fault.Expired, "test.outer"},
		{"any other error", io.ErrUnexpectedEOF, fault.Internal, fault.CodeInternal},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := fault.From(c.err)
			if got.Kind != c.kind || got.Code != c.code {
				t.Errorf("From gave kind %d code %q, want kind %d code %q", got.Kind, got.Code, c.kind, c.code)
			}
		})
	}
	if fault.From(nil) != nil {
		t.Error("From(nil) is not nil")
	}
	if !errors.Is(fault.From(io.EOF), io.EOF) {
		t.Error("From lost the cause of a foreign error")
	}
}

func TestInvalidFields(t *testing.T) {
	t.Parallel()
	got := fault.InvalidFields(fault.Field{Name: "email", Code: "test.required"})
	if got.Kind != fault.Invalid || got.Code != fault.CodeInvalid || len(got.Fields) != 1 {
		t.Errorf("InvalidFields gave %+v", got)
	}
}

func TestError_IsForTheLog(t *testing.T) {
	t.Parallel()
	f := fault.New(fault.Internal, fault.CodeInternal)
	if got, want := f.Error(), "internal"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if got, want := f.WithCause(io.EOF).Error(), "internal: EOF"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

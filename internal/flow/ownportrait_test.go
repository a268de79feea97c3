package flow_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"testing"

	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/session"
	"portico/internal/throttle"
)

// small returns a picture as a user gives it.
func small(t *testing.T) []byte {
	t.Helper()
	var given bytes.Buffer
	if err := png.Encode(&given, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
		t.Fatal(err)
	}
	return given.Bytes()
}

func TestPortrait(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	given := small(t)
	set := func(data []byte) error { return b.Owner.SetPortrait(t.Context(), v.Caller, v.found(), data) }
	id := func() string {
		t.Helper()
		head, err := b.Owner.Head(t.Context(), v.found().User.ID)
		if err != nil {
			t.Fatal(err)
		}
		return head.Portrait
	}
	if err := set([]byte("<svg/>")); !errors.Is(err, flow.PortraitUnusable) || id() != "" {
		t.Errorf("a file that is no picture: %v", err)
	}
	if err := set(given); err != nil {
		t.Fatal(err)
	}
	if f := b.record(audit.PortraitChanged); f.Detail != "given" || f.Actor != "self" {
		t.Errorf("%+v", f)
	}
	first := id()
	drawn, err := b.Owner.Portrait(t.Context(), first)
	if err != nil || !bytes.HasPrefix(drawn, []byte("\xff\xd8")) {
		t.Errorf("%d bytes, %v", len(drawn), err)
	}
	if err := set(given); err != nil || id() == first {
		t.Errorf("a new picture has the address of the former one: %v", err)
	}
	for _, gone := range []string{first, "", "x"} {
		if _, err := b.Owner.Portrait(t.Context(), gone); !errors.Is(err, flow.Unknown) {
			t.Errorf("%q: %v", gone, err)
		}
	}
	if err := b.Owner.RemovePortrait(t.Context(), v.Caller, v.found()); err != nil || id() != "" {
		t.Errorf("removed: %v", err)
	}
	if f := b.record(audit.PortraitChanged); f.Detail != "removed" {
		t.Errorf("%+v", f)
	}
	if err := set(given); err != nil {
		t.Fatal(err)
	}
	a := b.user("mara@example.org")
	for range 2 { // of which the second has nothing to do
		if err := b.Operator.RemoveUserPortrait(t.Context(), flow.ByOperator, a.ID); err != nil || id() != "" {
			t.Errorf("removed by an operator: %v", err)
		}
	}
	if f := b.record(audit.PortraitChanged); f.Detail != "removed" || f.Actor != "operator" {
		t.Errorf("%+v", f)
	}
	told := map[string]int{}
	for range 5 { // in any order
		m := b.next()
		told[m.To+" "+m.Template]++
	}
	if told["mara@example.org picture-changed"] != 4 || told["mara@example.org picture-removed"] != 1 {
		t.Errorf("the owner gets %v", told)
	}
	for range 16 {
		if err := set(nil); !errors.Is(err, flow.PortraitUnusable) {
			t.Fatal(err)
		}
	}
	if err := set(given); fault.From(err).Code != throttle.CodeLimited {
		t.Errorf("the 21st picture of a day: %v", err)
	}
	old := v.found()
	v.must(b.Owner.ChangePassword(t.Context(), v.Caller, old, another, another)) // ends the session
	if err := b.Owner.RemovePortrait(t.Context(), v.Caller, old); !errors.Is(err, session.Required) {
		t.Errorf("a session that has ended: %v", err)
	}
}

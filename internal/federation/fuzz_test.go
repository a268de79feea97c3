package federation

import (
	"errors"
	"net/url"
	"reflect"
	"testing"

	"portico/internal/fault"
)

// Any callback of a browser gets a fault of this package and no identity, because
// the fuzzer has no valid code.
func FuzzCallback(f *testing.F) {
	for _, seed := range []string{
		"state=" + flowID + "&code=x", "state=" + flowID + "&error=access_denied", "code=x&code=y", "state=&code=", "iss=https://evil.test",
		"state=" + flowID + "&code=x&iss=", "user={%22name%22:{}}&state=" + flowID + "&code=%00", "error=%ff&state=" + flowID, "%zz",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		b := setup(t)
		begun := b.begin()
		callback, _ := url.ParseQuery(query) // use the part that parses, as a handler would
		identity, err := b.s.Finish(t.Context(), "acme", begun.Pending, callback)
		if _, ok := errors.AsType[*fault.Error](err); !ok || !reflect.DeepEqual(identity, Identity{}) {
			t.Errorf("%q: got %+v, %v", query, identity, err)
		}
	})
}

func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"sub":"a","exp":1}`, `{"a":1,"a":2}`, `[]`, `{"a":{"b":[]}}`, `{"a":1}{`, `nul`, `{"exp":1e400}`, ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := parseObject([]byte(text))
		if err != nil && o != nil {
			t.Errorf("%q: an object beside the error", text)
		}
		for name := range o {
			_ = o.text(name)
			if at, ok := o.instant(name); ok && at.Year() > 10000 {
				t.Errorf("%q: the time %v", text, at)
			}
			if s, err := subject(o, name); err == nil && !validSubject(s) {
				t.Errorf("%q: the subject %q", text, s)
			}
		}
	})
}

package people

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
)

// decode reads a JSON object into a struct, whose json tags name all fields that it takes. Names
// must match exactly. It returns the names of the other fields, and a Problem that names the field.
// A field with the tag secret never has its value in a Problem. One with the tag brings is noted in found.
func decode(text []byte, into any, found map[string]bool) (ignored []string, err error) {
	return decodeUpTo(MostValues, text, into, found)
}

// decodeUpTo is decode for text with so many values in its lists.
func decodeUpTo(most int, text []byte, into any, found map[string]bool) (ignored []string, err error) {
	if err := shallow(text); err != nil {
		return nil, err
	}
	d := &decoder{found: found, most: most}
	err = d.value(text, reflect.ValueOf(into).Elem(), "", false)
	return d.ignored, err
}

type decoder struct {
	ignored []string
	found   map[string]bool
	values  int // in all lists so far
	most    int
}

func (d *decoder) value(text []byte, v reflect.Value, field string, secret bool) error {
	if bytes.Equal(text, []byte("null")) {
		return nil
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time](), v.Type() == reflect.TypeFor[json.RawMessage]():
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(text, v.Elem(), field, secret)
	case v.Kind() == reflect.Struct:
		return d.object(text, v, field)
	case v.Kind() == reflect.Slice:
		return d.list(text, v, field, secret)
	}
	if json.Unmarshal(text, v.Addr().Interface()) == nil {
		at, written := v.Interface().(time.Time)
		if i, ok := v.Interface().(instant); written && at.IsZero() || ok && !i.known() {
			return &Problem{Field: field, Value: Short(string(text)), Reason: "must be between the years 1970 and 9999"}
		}
		return nil
	}
	p := &Problem{Field: field, Reason: "must be " + wanted(v)}
	if !secret {
		p.Value = Short(string(text))
	}
	return p
}

// wanted names the form of a value.
func wanted(v reflect.Value) string {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		return "a time in the form of RFC 3339, such as 2026-01-02T15:04:05Z"
	case v.Type() == reflect.TypeFor[instant]():
		return "a time: milliseconds since 1970, or in the form of RFC 3339"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.CanInt():
		return "a whole number"
	case v.Kind() == reflect.String:
		return "a text"
	}
	return "JSON"
}

func (d *decoder) list(text []byte, v reflect.Value, field string, secret bool) error {
	in := json.NewDecoder(bytes.NewReader(text))
	if open, err := in.Token(); err != nil || open != json.Delim('[') {
		return &Problem{Field: field, Reason: "must be a list"}
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for i := 0; in.More(); i++ {
		if d.values++; d.values > d.most { // each takes a hundred times its three bytes in memory
			return &Problem{Field: field, Reason: fmt.Sprintf("has too many values: lists may have %d in all", d.most)}
		}
		var part json.RawMessage
		if err := in.Decode(&part); err != nil {
			return &Problem{Field: field, Reason: "must be a list"}
		}
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		if err := d.value(part, v.Index(i), fmt.Sprintf("%s[%d]", field, i), secret); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) object(text []byte, v reflect.Value, field string) error {
	in := json.NewDecoder(bytes.NewReader(text))
	open, err := in.Token()
	if err != nil {
		return broken(err, field)
	}
	if open != json.Delim('{') {
		return &Problem{Field: field, Reason: "must be an object"}
	}
	seen := map[string]bool{}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return broken(err, field)
		}
		name := key.(string) // a key is a text
		path := strings.TrimPrefix(field+"."+name, ".")
		if seen[name] {
			return &Problem{Field: Short(path), Reason: "is there twice"}
		}
		if seen[name] = true; len(seen) > MostColumns {
			return &Problem{Field: field, Reason: fmt.Sprintf("has more than %d fields", MostColumns)}
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return broken(err, Short(path))
		}
		if err := d.field(value, v, name, path); err != nil {
			return err
		}
	}
	if _, err := in.Token(); err != nil {
		return broken(err, field)
	}
	if field == "" && in.InputOffset() < int64(len(bytes.TrimRight(text, " \t\n"))) {
		return &Problem{Reason: "there is more after the object: each object must have its own line"}
	}
	return nil
}

func (d *decoder) field(value []byte, v reflect.Value, name, path string) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if tagged, _, _ := strings.Cut(f.Tag.Get("json"), ","); tagged == name {
			if f.Tag.Get("brings") != "" {
				d.found[withoutIndex(path)] = true
			}
			return d.value(value, v.Field(i), path, f.Tag.Get("secret") != "")
		}
	}
	if len(d.ignored) < mostIgnored && !blank(value) {
		d.ignored = append(d.ignored, Short(withoutIndex(path)))
	}
	return nil
}

// blank reports whether a value says nothing, so that nobody misses it.
func blank(value []byte) bool {
	return len(value) < 64 && slices.Contains([]string{"null", `""`, "[]", "{}"}, strings.Join(strings.Fields(string(value)), ""))
}

// withoutIndex writes a path without the positions in lists.
func withoutIndex(path string) string {
	var b strings.Builder
	inside := false
	for _, r := range path {
		switch {
		case r == '[':
			inside = true
		case r == ']':
			inside = false
		case !inside:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// broken says what is wrong with text that is not JSON. It never has the text.
func broken(err error, field string) error {
	reason := "is not JSON"
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		reason = "ends in the middle of an object: the file may be cut off"
	}
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok && reason == "is not JSON" {
		reason = fmt.Sprintf("is not JSON (byte %d)", bad.Offset)
	}
	return &Problem{Field: field, Reason: reason}
}

// shallow refuses text that is nested deeply, before anything recurses.
func shallow(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > mostDepth {
				return &Problem{Reason: fmt.Sprintf("is nested deeper than %d levels", mostDepth)}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

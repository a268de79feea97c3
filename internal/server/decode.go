package server

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"portico/internal/fault"
)

// Decode decodes the body of a request into the struct that in points to. The
// body is a JSON object or a form (application/x-www-form-urlencoded),
// depending on the content type. Both set the same fields, which must be
// strings or bools with json tags. JSON also sets lists of strings. Absent fields keep their value.
//
// Decode is strict, because two programs that read a body differently can check
// one value and use another. It returns CodeMalformed, with the field if there
// is one, for:
//   - an unknown name, which includes another letter case, or a name given
//     twice
//   - a value of another type
//   - a value that the enum tag of its field does not list
//   - text that is not UTF-8 or contains NUL
//   - data after the object
//
// It returns CodeUnsupported for any other content type or encoding.
func Decode(r *http.Request, in any) error {
	if len(r.Header["Content-Encoding"]) > 0 {
		return errUnsupported // a compressed body can be a bomb, and browsers do not send one
	}
	parse, err := parserOf(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return Malformed.WithCause(fmt.Errorf("read the body: %w", err))
	}
	if !utf8.Valid(body) {
		return Malformed
	}
	return parse(body, newFields(in))
}

// parserOf returns the parser for the content type.
func parserOf(r *http.Request) (func([]byte, *fields) error, error) {
	sent := r.Header["Content-Type"]
	if len(sent) != 1 {
		return nil, errUnsupported
	}
	mediaType, params, err := mime.ParseMediaType(sent[0])
	if err != nil {
		return nil, errUnsupported
	}
	for name, value := range params {
		if name != "charset" || !strings.EqualFold(value, "utf-8") {
			return nil, errUnsupported
		}
	}
	switch mediaType {
	case "application/json":
		return parseJSON, nil
	case "application/x-www-form-urlencoded":
		return parseForm, nil
	}
	return nil, errUnsupported
}

// fields are the fields of a struct that a body may set, each once.
type fields struct {
	places map[string]reflect.Value
	enums  map[string]string // values of a field with an enum tag, a space between two
	seen   map[string]bool
}

// newFields panics unless in is a pointer to a struct of strings, bools and lists of strings
// with json tags. The first test of a handler finds that.
func newFields(in any) *fields {
	v := reflect.ValueOf(in).Elem()
	f := &fields{places: make(map[string]reflect.Value, v.NumField()), enums: map[string]string{}, seen: make(map[string]bool, v.NumField())}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "" || !decodes(v.Field(i).Type()) {
			panic(fmt.Sprintf("server.Decode: field %s of %s needs a json tag and the type string, bool or []string", v.Type().Field(i).Name, v.Type()))
		}
		f.places[name] = v.Field(i)
		if enum, ok := v.Type().Field(i).Tag.Lookup("enum"); ok {
			f.enums[name] = enum
		}
	}
	return f
}

func decodes(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() == reflect.Bool || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String
}

// place returns the field for a name, at most once.
func (f *fields) place(name string) (reflect.Value, error) {
	v, ok := f.places[name]
	if !ok {
		return v, MalformedField(name, CodeFieldUnknown)
	}
	if f.seen[name] {
		return v, MalformedField(name, CodeFieldDuplicate)
	}
	f.seen[name] = true
	return v, nil
}

// setText sets a string field. It refuses NUL for every route, because SQLite
// can store it and PostgreSQL cannot. It refuses a value that an enum does not list.
func (f *fields) setText(v reflect.Value, name, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return MalformedField(name, CodeFieldText)
	}
	if enum, ok := f.enums[name]; ok && !slices.Contains(strings.Split(enum, " "), text) {
		return MalformedField(name, CodeFieldValue)
	}
	v.SetString(text)
	return nil
}

// MalformedField returns an error that names the field. It repeats an unknown
// name only if it looks like one.
func MalformedField(name, code string) error {
	if !isFieldName(name) {
		return Malformed
	}
	return Malformed.WithFields(fault.Field{Name: name, Code: code})
}

func isFieldName(name string) bool {
	if name == "" || len(name) > 40 {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

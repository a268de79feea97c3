package server

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"portico/internal/fault"
)

// Decode reads the body of a write into the struct that in points to. The body
// is a JSON object or a form (application/x-www-form-urlencoded), by its
// content type; both fill the same fields, named by their json tags, which are
// strings or bools. A field that is absent stays as it is.
//
// Nothing is guessed: a name that is not exactly that of a field, a name given
// twice, a value of another type, text that is not UTF-8 or holds NUL, bytes
// after the object: each is CodeMalformed, with the field at fault where there
// is one. Any other content type or encoding is CodeUnsupported. net/http and
// encoding/json accept all of these, and two programs that read a body
// differently are how one field is checked and another used.
func Decode(r *http.Request, in any) error {
	if len(r.Header["Content-Encoding"]) > 0 {
		return errUnsupported // a compressed body can be a bomb, and no browser sends one
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

// parserOf returns the parser of the request's content type.
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

// fields are the places of a struct that a body may fill, each once.
type fields struct {
	places map[string]reflect.Value
	seen   map[string]bool
}

// newFields panics when in is not a pointer to a struct of strings and bools:
// that is a mistake of the handler, which its first test finds.
func newFields(in any) *fields {
	v := reflect.ValueOf(in).Elem()
	f := &fields{places: make(map[string]reflect.Value, v.NumField()), seen: make(map[string]bool, v.NumField())}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		kind := v.Field(i).Kind()
		if name == "" || kind != reflect.String && kind != reflect.Bool {
			panic(fmt.Sprintf("server.Decode: field %s of %s needs a json tag and the type string or bool", v.Type().Field(i).Name, v.Type()))
		}
		f.places[name] = v.Field(i)
	}
	return f
}

// place returns where the value of a name goes, once.
func (f *fields) place(name string) (reflect.Value, error) {
	v, ok := f.places[name]
	if !ok {
		return v, malformedField(name, CodeFieldUnknown)
	}
	if f.seen[name] {
		return v, malformedField(name, CodeFieldDuplicate)
	}
	f.seen[name] = true
	return v, nil
}

// setText stores a string. NUL is refused here for every route: PostgreSQL has
// no place for it and SQLite has, so that the databases would differ.
func setText(v reflect.Value, name, text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return malformedField(name, CodeFieldText)
	}
	v.SetString(text)
	return nil
}

// malformedField names the field at fault. A name of the client's invention is
// repeated only when it looks like a name.
func malformedField(name, code string) error {
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

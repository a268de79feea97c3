package federation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"
)

// object is a JSON object whose members keep their exact names and types. With a
// struct, encoding/json takes EMAIL for email and the last of two equal names.
// Two readers could then see two different documents.
type object map[string]json.RawMessage

func parseObject(data []byte) (object, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the document is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the document is not a JSON object")
	}
	o := make(object)
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, errors.New("the document is not JSON")
		}
		if _, twice := o[name]; twice {
			return nil, fmt.Errorf("the document has the member %.64q twice", name)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, errors.New("the document is not JSON")
		}
		o[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, errors.New("the document is not JSON")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is data after the end of the document")
	}
	return o, nil
}

// has reports whether the member is there, null included.
func (o object) has(name string) bool {
	_, ok := o[name]
	return ok
}

// text returns a member that is a string, else "".
func (o object) text(name string) string {
	var s *string
	if json.Unmarshal(o[name], &s) != nil || s == nil {
		return ""
	}
	return *s
}

// isTrue reports whether the member is the boolean true. The string "true", a
// number and anything else are not.
func (o object) isTrue(name string) bool { return string(o[name]) == "true" }

// instant returns a member that is a NumericDate (RFC 7519 2).
func (o object) instant(name string) (time.Time, bool) {
	seconds, err := strconv.ParseFloat(string(o[name]), 64)
	const lastYear = 253402300799 // the end of the year 9999: what a time.Time can print
	if err != nil || !(seconds >= 0 && seconds <= lastYear) {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(seconds * 1000)), true
}

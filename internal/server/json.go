package server

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// parseJSON parses a JSON object (RFC 8259) of texts, booleans and lists of texts. Any other
// value has the wrong type. The depth is limited before parsing, because each level costs memory.
func parseJSON(body []byte, f *fields) error {
	if tooDeep(body) || !json.Valid(body) || loneSurrogate(body) {
		return Malformed
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // a number of any size is then a value of the wrong type
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return Malformed
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return Malformed
		}
		name, ok := key.(string)
		if !ok {
			return Malformed
		}
		value, err := d.Token()
		if err != nil {
			return Malformed
		}
		if value == json.Delim('[') {
			err = f.setList(d, name)
		} else {
			err = f.setJSON(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *fields) setJSON(name string, value json.Token) error {
	v, err := f.place(name)
	if err != nil {
		return err
	}
	switch value := value.(type) {
	case string:
		if v.Kind() == reflect.String {
			return f.setText(v, name, value)
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(value)
			return nil
		}
	}
	return MalformedField(name, CodeFieldType)
}

// setList sets a list of texts, whose opening bracket is read.
func (f *fields) setList(d *json.Decoder, name string) error {
	v, err := f.place(name)
	if err != nil {
		return err
	}
	if v.Kind() != reflect.Slice {
		return MalformedField(name, CodeFieldType)
	}
	texts := reflect.MakeSlice(v.Type(), 0, 0)
	for d.More() {
		item, err := d.Token()
		if err != nil {
			return Malformed
		}
		text, ok := item.(string)
		if !ok {
			return MalformedField(name, CodeFieldType)
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		if err := f.setText(entry, name, text); err != nil {
			return err
		}
		texts = reflect.Append(texts, entry)
	}
	v.Set(texts)
	if _, err := d.Token(); err != nil { // the closing bracket
		return Malformed
	}
	return nil
}

// tooDeep reports whether JSON is nested more than 32 levels deep.
func tooDeep(body []byte) bool {
	const most = 32
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return false
}

// loneSurrogate reports whether valid JSON contains an unpaired surrogate
// escape. encoding/json replaces it with U+FFFD, so that different passwords
// would become equal.
func loneSurrogate(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++ // the escaped character, which valid JSON always has
		if body[i] != 'u' {
			continue
		}
		switch r := hex4(body[i+1:]); {
		case 0xDC00 <= r && r <= 0xDFFF:
			return true
		case 0xD800 <= r && r <= 0xDBFF:
			next := body[i+5:]
			if len(next) < 6 || next[0] != '\\' || next[1] != 'u' {
				return true
			}
			if low := hex4(next[2:]); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 6
		}
	}
	return false
}

// hex4 returns the value of the four digits after \u in valid JSON.
func hex4(b []byte) uint64 {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return n
}

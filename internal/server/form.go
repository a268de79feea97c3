package server

import (
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"
)

// parseForm parses application/x-www-form-urlencoded (URL Standard 5.1). Each
// field can occur once, which also limits the number of pairs.
func parseForm(body []byte, f *fields) error {
	rest := string(body)
	for rest != "" {
		var pair string
		pair, rest, _ = strings.Cut(rest, "&")
		if pair == "" {
			continue
		}
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, nameOK := unescape(rawName)
		value, valueOK := unescape(rawValue)
		if !nameOK || !valueOK {
			return Malformed
		}
		if err := f.setForm(name, value); err != nil {
			return err
		}
	}
	return nil
}

func (f *fields) setForm(name, value string) error {
	v, err := f.place(name)
	if err != nil {
		return err
	}
	if v.Kind() == reflect.String {
		return f.setText(v, name, value)
	}
	if v.Kind() == reflect.Slice {
		return MalformedField(name, CodeFieldType) // only JSON has lists
	}
	switch value {
	case "true", "on": // "on" is what a checkbox without a value sends
		v.SetBool(true)
	case "false", "":
		v.SetBool(false)
	default:
		return MalformedField(name, CodeFieldType)
	}
	return nil
}

func unescape(s string) (string, bool) {
	s, err := url.QueryUnescape(s)
	return s, err == nil && utf8.ValidString(s)
}

package archive

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"portico/internal/store/engine"
)

var errValue = errors.New("it is not of the type of its column")

// appendRow appends a row as a line: {"account":{"id":"...",...}}.
func (t *table) appendRow(b []byte, row []any) ([]byte, error) {
	b = append(b, `{"`+t.name+`":{`...)
	for i, c := range t.columns {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"`+c.name+`":`...)
		switch v := row[i].(type) {
		case int64:
			b = strconv.AppendInt(b, v, 10)
		case []byte:
			b = append(b, '"')
			b = base64.StdEncoding.AppendEncode(b, v)
			b = append(b, '"')
		case string:
			if !engine.Storable(v) {
				return nil, fmt.Errorf("%s.%s: %w", t.name, c.name, engine.ErrText)
			}
			text, _ := json.Marshal(v) // a string always marshals
			b = append(b, text...)
		default:
			return nil, fmt.Errorf("%s.%s: %w", t.name, c.name, errValue)
		}
	}
	return append(b, "}}\n"...), nil
}

// rowOf returns the values of a line in the order of the columns.
func (t *table) rowOf(fields map[string]json.RawMessage) ([]any, error) {
	row := make([]any, len(t.columns))
	for i, c := range t.columns {
		raw, ok := fields[c.name]
		if !ok {
			return nil, fmt.Errorf("%s.%s is missing", t.name, c.name)
		}
		v, err := c.parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.name, c.name, err)
		}
		row[i] = v
	}
	if len(fields) > len(t.columns) {
		return nil, fmt.Errorf("%s has a column that this version does not know", t.name)
	}
	return row, nil
}

func (c column) parse(raw json.RawMessage) (any, error) {
	if c.kind == kindInt {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return nil, errValue
		}
		return n, nil
	}
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return nil, errValue
	}
	if c.kind == kindBytes {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, errValue
		}
		return b, nil
	}
	if !engine.Storable(text) {
		return nil, engine.ErrText
	}
	return text, nil
}

package locale

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"portico/internal/legible"
)

// entry is one key of a file of texts.
type entry struct {
	key   string
	line  int
	value any
}

// unreadable says why a file is not an object of JSON.
type unreadable struct {
	line int
	why  string
}

// parseFile returns the entries of a file with their lines, in its order. Keys
// can repeat. Some editors begin a file with a byte order mark.
func parseFile(data []byte) ([]entry, *unreadable) {
	data = legible.Unmark(data)
	lineAt := func(offset int64) int { return 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n")) }
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return nil, &unreadable{lineAt(int64(at)), "it is not in UTF-8"}
		}
		at += size
	}
	d := json.NewDecoder(bytes.NewReader(data))
	var entries []entry
	err := func() error {
		if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
			return errors.Join(err, errNoObject)
		}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			e := entry{line: lineAt(d.InputOffset())}
			text, _ := key.(string) // the decoder accepts nothing else
			e.key = legible.Trim(text)
			if err := d.Decode(&e.value); err != nil {
				return err
			}
			entries = append(entries, e)
		}
		if _, err := d.Token(); err != nil {
			return err
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return errNoObject
		}
		return nil
	}()
	if err == nil {
		return entries, nil
	}
	why, at := "it is not an object of JSON", d.InputOffset()
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = bad.Offset
		why += ": " + strings.TrimPrefix(bad.Error(), "json: ")
	}
	return nil, &unreadable{lineAt(at), why}
}

var errNoObject = errors.New("no object")

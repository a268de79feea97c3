package people

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sources are the kinds of files that can be read. The first one that recognizes a file is
// taken: the own format comes last, because others are JSON too.
func Sources() []Source {
	return append(exports(),
		Source{Name: "csv", Recognize: isCSV, Open: openCSV, NamesIssuer: true},
		Source{Name: "portico", Recognize: isJSONLines, Open: openJSONLines, NamesIssuer: true},
	)
}

func isJSONLines(head []byte) bool {
	head = bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(line, []byte(`"email"`))
}

// isCSV reports whether the first line names the column of the address.
func isCSV(head []byte) bool { return slices.Contains(columnsIn(head), "email") }

// columnsIn returns what the first line of CSV names.
func columnsIn(head []byte) (names []string) {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	for _, name := range strings.FieldsFunc(string(line), func(r rune) bool { return strings.ContainsRune(",;\t\r", r) }) { // the reader refuses others than commas
		names = append(names, strings.Trim(name, `" `))
	}
	return names
}

// HeadBytes is how much of a file is enough to recognize it.
const HeadBytes = 64 << 10

// Find returns the source with a name, or without one the source that recognizes the beginning of a file.
func Find(name string, head []byte) (Source, error) {
	if name == "" && wide(head) {
		return Source{}, ErrUTF16
	}
	if name == "" && len(bytes.TrimSpace(head)) == 0 {
		return Source{}, errors.New("the file is empty")
	}
	var names []string
	for _, s := range Sources() {
		if name == s.Name || name == "" && s.Recognize(head) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	if name != "" {
		return Source{}, fmt.Errorf("there is no source %q: write one of %s", name, strings.Join(names, ", "))
	}
	return Source{}, fmt.Errorf("the file is of no known kind: say what has written it (from): %s", strings.Join(names, ", "))
}

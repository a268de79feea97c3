package people

import (
	"bytes"
	"strings"
)

// Sources are the kinds of files that can be read. The first one that recognizes a file is
// taken: the own format comes last, because others are JSON too.
func Sources() []Source {
	return append(exports(),
		Source{Name: "csv", Recognize: isCSV, Open: openCSV},
		Source{Name: "portico", Recognize: isJSONLines, Open: openJSONLines},
	)
}

func isJSONLines(head []byte) bool {
	head = bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n")
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(line, []byte(`"email"`))
}

// isCSV reports whether the first line names the column of the address.
func isCSV(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("\n"))
	for name := range strings.SplitSeq(strings.TrimSpace(string(line)), ",") {
		if strings.Trim(name, `" `) == "email" {
			return true
		}
	}
	return false
}

// Names returns the names of the sources.
func Names() (names []string) {
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	return names
}

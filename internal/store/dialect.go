package store

import (
	"bytes"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
)

// spoken are the migrations as an engine reads them. A line that begins with the mark of the
// engine is a part of the migration there, and a comment elsewhere.
type spoken struct {
	fs.FS
	mark string
}

func spokenBy(files fs.FS, dialect goose.Dialect) fs.FS {
	return spoken{files, "\n--" + string(dialect) + " "}
}

// Open implements fs.FS.
func (s spoken) Open(name string) (fs.File, error) {
	file, err := s.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	text, err := fs.ReadFile(s.FS, name)
	return migration{file, bytes.NewReader(bytes.ReplaceAll(text, []byte(s.mark), []byte("\n")))}, err
}

type migration struct {
	fs.File
	text *bytes.Reader
}

// Read implements fs.File.
func (m migration) Read(p []byte) (int, error) { return m.text.Read(p) }

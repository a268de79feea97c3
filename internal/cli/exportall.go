package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/term"

	"portico/internal/app"
	"portico/internal/file"
	"portico/internal/store/archive"
)

type exportAllCmd struct {
	File      string   `arg:"" help:"The new file. A sealed archive can also go to standard output, with -."`
	Format    string   `help:"archive for everything; csv, keycloak or auth0 for people only." enum:"archive,csv,keycloak,auth0" default:"archive"`
	Realm     string   `help:"The name of the realm of Keycloak." default:"portico" placeholder:"NAME"`
	Recipient []string `help:"Seal the archive for this public key of age. Can be repeated." placeholder:"AGE1..." sep:"none"`
	Plain     bool     `help:"Do not seal it: the file has all secrets in clear."`
	Record    bool     `help:"Include the audit records."`
	JSON      bool     `name:"json" help:"Print the summary as JSON."`
}

func (exportAllCmd) Help() string {
	return `Example:
  age-keygen -o archive.key
  portico export portico.archive --recipient age1...
  portico export all people.csv --format csv --plain

The server may run. The archive has everything but settings and files: accounts, password hashes, second factors, sessions, clients, the keys that sign tokens. 'portico import' makes an empty installation the same one, on either database. Only the private key of age opens a sealed archive, so keep it elsewhere. A file of --plain is as secret as the database and the master key together.

--format writes only people, for a spreadsheet or for another product, and says what that has no place for. Password hashes never fit: they need the master key.

See docs/operating/archives.md.`
}

func (c exportAllCmd) check() error {
	switch {
	case c.Plain == (len(c.Recipient) > 0):
		return fmt.Errorf("%w: add --recipient with a public key of age to seal the file, or --plain to write all secrets in clear", errUsage)
	case c.Record && c.Format != "archive":
		return fmt.Errorf("%w: only an archive has the audit records: leave --record or --format out", errUsage)
	case c.Plain && c.File == "-":
		return fmt.Errorf("%w: --plain writes all secrets in clear, so it writes to a file that only you can read, and not to standard output", errUsage)
	case c.Plain:
		return nil
	}
	if _, err := archive.Seal(io.Discard, c.Recipient); err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return nil
}

func (c exportAllCmd) Run(s *session) error {
	outliveReaders()
	standBack()
	if err := c.check(); err != nil {
		return err
	}
	if f, ok := s.Stdout.(*os.File); ok && c.File == "-" && term.IsTerminal(int(f.Fd())) {
		return fmt.Errorf("%w: a sealed archive is no text for a terminal: name a file, or send it on", errUsage)
	}
	return s.withApp(func(a *app.App) error {
		var done exported
		err := s.toFile(c.File, func(out io.Writer) (err error) {
			done, err = c.write(s, a, out)
			return err
		})
		if err != nil {
			return err
		}
		if c.File == "-" {
			s.Stdout = s.Stderr // which has no archive
		}
		return s.print(c.JSON, done, done.lines()...)
	})
}

// exported is the summary.
type exported struct {
	*archive.Result `json:",omitempty"`
	People          int64            `json:"people,omitempty"`
	LeftOut         map[string]int64 `json:"left_out,omitempty"` // people, by what the format has no place for
}

func (e exported) lines() []string {
	if e.Result != nil {
		return archiveLines(*e.Result, "exported")
	}
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(e.LeftOut)) {
		lines = append(lines, fmt.Sprintf("left out\t%s\t%d", what, e.LeftOut[what]))
	}
	return append(lines, fmt.Sprintf("exported\t%d people", e.People))
}

func (c exportAllCmd) write(s *session, a *app.App, out io.Writer) (done exported, err error) {
	if !c.Plain {
		sealed, err := archive.Seal(out, c.Recipient)
		if err != nil {
			return done, err
		}
		defer func() {
			if err == nil {
				err = sealed.Close()
			}
		}()
		out = sealed
	}
	buffer := bufio.NewWriterSize(out, 1<<16)
	rows := &counting{}
	m := s.meter("exported", rows, 0)
	defer m.clear()
	report := func(n, all int64) {
		m.size = all
		rows.read.Store(n)
		m.show(n)
	}
	if c.Format == "archive" {
		var r archive.Result
		r, err = a.Export(s, build().Version, buffer, c.Record, report)
		done.Result = &r
	} else {
		done.People, done.LeftOut, err = a.ExportPeople(s, c.Format, c.Realm, buffer, report)
	}
	return done, errors.Join(err, buffer.Flush())
}

// toFile writes a new file that only its owner can read, whole or not at all. "-" is standard output.
func (s *session) toFile(path string, fn func(io.Writer) error) error {
	if path == "-" {
		return fn(s.Stdout)
	}
	if !missing(path) {
		return fmt.Errorf("make the file %s: %w: choose another name", path, fs.ErrExist)
	}
	f, err := file.Part(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("make the file: %w: name one in a folder that this user may write", file.Plain(err))
	}
	defer os.Remove(f.Name())
	err = errors.Join(f.Chmod(0o600), fn(f)) // whatever the umask
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = file.PutNew(f.Name(), path)
	}
	switch {
	case err == nil:
		return file.Sync(filepath.Dir(path))
	case s.Err() != nil:
		return fmt.Errorf("interrupted, and no file was made (%w)", err)
	}
	return err
}

func archiveLines(done archive.Result, what string) []string {
	var lines []string
	rows := int64(0)
	for _, t := range done.Tables {
		rows += t.Rows
		if t.Rows > 0 {
			lines = append(lines, fmt.Sprintf("%s\t%d", t.Name, t.Rows))
		}
	}
	if done.Unopened > 0 {
		lines = append(lines, fmt.Sprintf("left out\t%d values that the master key does not open, which nobody could use", done.Unopened))
	}
	return append(lines, fmt.Sprintf("%s\t%d rows", what, rows))
}

package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"portico/internal/app"
	"portico/internal/file"
	"portico/internal/flow"
	"portico/internal/people"
)

type userImportCmd struct {
	File        string            `arg:"" help:"The file, or - for standard input."`
	From        string            `help:"What has written the file. Otherwise its content tells." placeholder:"SYSTEM"`
	DryRun      bool              `help:"Only check the file, and name each bad line."`
	SkipBad     bool              `help:"Import the good lines, and write the others into the file of --rejected."`
	Rejected    string            `help:"Where bad lines go. Default: the name of the file with .rejected at its end." placeholder:"FILE"`
	Update      bool              `help:"Change accounts that exist and differ."`
	KeepSubject bool              `help:"Keep the ids of the other system, for OpenID clients with subject = \"imported\"."`
	Issuer      string            `help:"The issuer of these ids, where the file does not name it." placeholder:"URL"`
	Param       map[string]string `help:"What an export does not say about itself, as docs/operating/exports.md names it." placeholder:"NAME=VALUE"`
	Known       string            `help:"A person of the file whose password you know. Before the import, it is read and has to fit the hash." placeholder:"EMAIL"`
	JSON        bool              `name:"json" help:"Print the summary as JSON."`
}

func (userImportCmd) Help() string {
	return `Example:
  portico user import --dry-run people.jsonl
  portico user import people.jsonl

No email is sent. Without --skip-bad, nothing is imported from a file that has a bad line. An account that exists stays as it is, so an import that was interrupted is simply started again. The server may run.

See docs/operating/importing.md for the format, and docs/operating/exports.md for the systems and their parameters.`
}

func (c userImportCmd) Run(s *session) error {
	if c.File == "-" && !c.DryRun && !c.SkipBad {
		return fmt.Errorf("%w: standard input is read only once, so it cannot be checked before: add --skip-bad or --dry-run", errUsage)
	}
	// A server on this machine keeps half of the processors, and goes first on the others.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(1, runtime.NumCPU()/2)))
	standBack()
	if err := c.usable(); err != nil {
		return err
	}
	return s.withApp(func(a *app.App) error {
		if err := c.fits(s, a); err != nil {
			return err
		}
		how := flow.Import{DryRun: true, Update: c.Update, KeepSubject: c.KeepSubject}
		how.Hash = importHashes{s, a.Passwords, map[string]bool{}}.adopt
		if !c.SkipBad {
			sum, err := c.pass(s, a, how)
			switch {
			case c.DryRun:
				return c.end(s, sum, "", err)
			case err != nil || sum.Refused > 0:
				return c.end(s, sum.onlyChecked(), "nothing was imported", err)
			}
		}
		how.DryRun = c.DryRun
		sum, err := c.pass(s, a, how)
		return c.end(s, sum, "the others were imported", err) // of a line whose address, say, was taken since it was checked
	})
}

// usable refuses a system that nobody knows, to write over bad lines of an earlier run, which somebody may have corrected, and to change a device.
func (c userImportCmd) usable() error {
	if c.From != "" {
		if _, err := people.Find(c.From, nil); err != nil {
			return fmt.Errorf("%w: --from: %w", errUsage, err)
		}
	}
	info, err := os.Lstat(c.rejectedTo())
	switch {
	case !c.SkipBad || c.DryRun || err != nil: // what cannot be made says so when there is a line for it
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s cannot take the bad lines: %w: name another file with --rejected", c.rejectedTo(), file.ErrKind)
	case info.Size() > 0:
		return fmt.Errorf("%s has the bad lines of an earlier run: correct and import it, or delete it if that run was interrupted, as this one finds them again, or name another file with --rejected", c.rejectedTo())
	}
	return nil
}

// end prints the summary. Its error says what was done with a file that has bad lines.
func (c userImportCmd) end(s *session, sum *importDone, done string, err error) error {
	if sum == nil {
		return err
	}
	if err == nil && sum.Total() == 0 {
		complain(s.Stderr, fmt.Sprintf("warning: nobody is in %s: check that its export takes the people along, as docs/operating/exports.md says", c.File))
	}
	if err := errors.Join(err, s.print(c.JSON, sum, sum.lines(c.DryRun)...)); err != nil {
		return err
	}
	if sum.Refused > 0 && !c.SkipBad {
		if c.DryRun {
			done = "this was a dry run"
		}
		return fmt.Errorf("bad: %s, and %s: correct the file, or add --skip-bad", counted(int(sum.Refused), "line"), done)
	}
	return nil
}

// pass reads the file once.
func (c userImportCmd) pass(s *session, a *app.App, how flow.Import) (sum *importDone, err error) {
	in, size, err := c.open(s)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	count := &counting{Reader: in}
	from, err := c.reader(count)
	if err != nil {
		return nil, err
	}
	how.Seen = flow.NewSeen()
	what := "imported"
	if how.DryRun {
		what = "checked"
	}
	run := &importRun{session: s, app: a, how: how, sum: flow.NewImportSum(), meter: s.meter(what, count, size)}
	defer run.meter.clear()
	if c.SkipBad && !how.DryRun {
		run.rejects = &rejects{path: c.rejectedTo()}
	}
	done := &importDone{ImportSum: run.sum}
	err = run.all(from)
	if run.rejects != nil && run.rejects.count > 0 {
		done.Rejected, done.RejectedTo = run.rejects.count, run.rejects.path
	}
	if err != nil {
		return done, errors.Join(fmt.Errorf("%s: %w", c.File, err), run.rejects.close())
	}
	if run.sum.Total() > 0 {
		run.sum.Missing = people.Missing(from)
	}
	return done, run.rejects.close()
}

// reader recognizes a file.
func (c userImportCmd) reader(in io.Reader) (people.Reader, error) {
	head := bufio.NewReaderSize(in, people.HeadBytes)
	begin, err := head.Peek(people.HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", c.File, err)
	}
	source, err := people.Find(c.From, begin)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	if c.KeepSubject && c.Issuer == "" && !source.NamesIssuer {
		return nil, fmt.Errorf("%w: an export of %s does not name the issuer of its ids: add --issuer with the URL of the former system", errUsage, source.Name)
	}
	from, err := source.Open(head, people.Options{Issuer: c.Issuer, Parameters: c.Param})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	return from, nil
}

func (c userImportCmd) rejectedTo() string {
	switch {
	case c.Rejected != "":
		return c.Rejected
	case c.File == "-":
		return "people.rejected"
	}
	return c.File + ".rejected"
}

// open returns the file and its size, 0 if that is not known.
func (c userImportCmd) open(s *session) (io.ReadCloser, int64, error) {
	if c.File == "-" {
		return io.NopCloser(s.Stdin), 0, nil
	}
	f, info, err := file.Open(c.File)
	if err != nil {
		return nil, 0, file.Plain(err)
	}
	return f, info.Size(), nil
}

// rejects is the file of bad lines, which is made for the first one. It may have hashes, so only its
// owner may read it. A nil one takes nothing.
type rejects struct {
	path  string
	file  *os.File
	out   *bufio.Writer
	count int64
	err   error
}

// add writes an entry as it was read, or else the person. A line that is too long to be held is in neither form.
func (r *rejects) add(p people.Person, at people.Place) {
	if r == nil || r.err != nil || at.Raw == nil && at.Entry == "" {
		return
	}
	if r.file == nil {
		if r.file, r.err = file.Fill(r.path, 0o600); r.err != nil {
			return
		}
		r.out = bufio.NewWriter(r.file)
		if at.Head != nil {
			_, _ = r.out.Write(append(at.Head, '\n')) // Flush returns the error
		}
	}
	r.count++
	raw := at.Raw
	if raw == nil {
		raw, _ = json.Marshal(p) // it was read from JSON
	}
	_, _ = r.out.Write(append(raw, '\n'))
}

func (r *rejects) close() error {
	if r == nil {
		return nil
	}
	err := r.err
	if r.file != nil {
		err = errors.Join(r.out.Flush(), r.file.Sync(), r.file.Close())
	}
	if err != nil {
		return fmt.Errorf("write the rejected lines to %s: %w", r.path, err)
	}
	return nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/dev"
	"portico/internal/fault"
	"portico/internal/legible"
	"portico/internal/locale"
	"portico/internal/server"
	"portico/web"
)

// Process is what a command gets from the operating system.
type Process struct {
	Program string // as it was called, for messages
	Args    []string
	Environ []string
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer

	Settings  string   // the file of the package, which commands read when there is no other. "" for none
	Documents []string // the folders that may hold docs
}

// Exit codes, documented in doc.go.
const (
	exitDone = iota
	exitFailed
	exitUsage
	exitMissing
	exitExists
)

// commands defines the whole command line.
type commands struct {
	Config string `help:"Read the settings from this file. Default: PORTICO_CONFIG, then portico.toml in the current folder, then /etc/portico/portico.toml." placeholder:"FILE" name:"config"`

	ShowVersion kong.VersionFlag `help:"Print the version." name:"version"`

	Init     initCmd     `cmd:"" help:"Set up a new installation by answering six questions."`
	Serve    serveCmd    `cmd:"" help:"Run the server."`
	Reload   reloadCmd   `cmd:"" help:"Make the running server read its settings again."`
	Ready    readyCmd    `cmd:"" help:"Check whether the running server is ready."`
	Dev      devCmd      `cmd:"" help:"Try everything on this machine. Needs no configuration."`
	Cfg      configCmd   `cmd:"" name:"config" help:"Check or show the settings."`
	User     userCmd     `cmd:"" help:"Create and change accounts."`
	Audit    auditCmd    `cmd:"" help:"Export the audit records."`
	Export   exportCmd   `cmd:"" help:"Write everything to one file, to move it or to leave with it."`
	Import   importCmd   `cmd:"" help:"Make an empty installation the one of an export."`
	Why      whyCmd      `cmd:"" help:"Find out why a user is stuck: a timeline of an address."`
	Session  sessionCmd  `cmd:"" help:"Show where users are signed in, and sign them out."`
	Secret   secretCmd   `cmd:"" help:"Change the master key."`
	Key      keyCmd      `cmd:"" help:"Manage the API keys with which programs administer."`
	Keys     keysCmd     `cmd:"" help:"Manage the keys that sign tokens for apps."`
	Client   clientCmd   `cmd:"" help:"Connect apps that sign in by OpenID Connect."`
	Rules    rulesCmd    `cmd:"" help:"Explain the access rules of apps."`
	Doctor   doctorCmd   `cmd:"" help:"Diagnose problems: test everything that Portico depends on."`
	CheckApp checkAppCmd `cmd:"" name:"check-app" help:"Attack your own deployment: check that forged identities and path tricks are refused."`
	Mail     mailCmd     `cmd:"" help:"List, retry and drop undelivered emails."`
	Webhook  webhookCmd  `cmd:"" help:"List, test and retry the webhooks that get events about accounts."`
	Migrate  migrateCmd  `cmd:"" help:"Update the database schema."`
	Backup   backupCmd   `cmd:"" help:"Back up a SQLite database, even while it is in use."`
	Restore  restoreCmd  `cmd:"" help:"Restore a SQLite database from a backup."`
	Finish   finishCmd   `cmd:"" name:"finish-restore" help:"Make a PostgreSQL database safe to serve after its own tools have restored it."`
	Move     moveCmd     `cmd:"" help:"Move a running SQLite installation to PostgreSQL."`
	Texts    textsCmd    `cmd:"" help:"Print the texts of pages and emails, as a basis for your own."`
	Manual   manualCmd   `cmd:"" help:"Print the help of all commands as a man page."`
	Complete completeCmd `cmd:"" hidden:"" passthrough:"" help:"Print the words that may follow on the command line."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
	Licenses licensesCmd `cmd:"" help:"Print the licenses of the third-party software and data in Portico."`
}

// errUsage means that a flag has a wrong form, does not go with another one, or is not allowed.
var errUsage = errors.New("nothing was done")

// oneOf refuses a word that is none of a fixed set.
func oneOf[T ~string](what, typed string, known []T) error {
	words := make([]string, len(known))
	for i, word := range known {
		words[i] = string(word)
	}
	if slices.Contains(words, typed) {
		return nil
	}
	return fmt.Errorf("%w: there is no %s %s: %s", errUsage, what, typed, config.OneFrom(typed, words))
}

// errAbsent means that what a command names does not exist.
var errAbsent = errors.New("not found")

// session is the environment of a running command.
type session struct {
	context.Context
	Process
	named      string // the file of settings that --config names, "" without it
	configFile string // the file of settings that commands read, "" if there is none
}

// Run parses the command line, runs the command and returns the exit code.
func Run(ctx context.Context, p Process) int {
	var c commands
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("portico"),
		kong.Description("Sign-in, registration and account recovery for web apps: the pages and the server behind them."),
		kong.Writers(p.Stdout, p.Stderr),
		kong.Vars{"version": build().String(), "presets": presetNames()},
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Help(p.printHelp),
		kong.UsageOnError(),
	)
	if err != nil {
		complain(p.Stderr, "portico:", err)
		return exitFailed
	}
	p.Args = helpWords(p.Args)
	command, err := parser.Parse(p.Args)
	switch {
	case exited >= 0:
		return exited // --help or --version was given
	case err != nil:
		complain(p.Stderr, "portico:", plain(err))
		complain(p.Stderr, "try:", meant(err), "--help")
		return exitUsage
	}
	p.Stdin = input{ctx, p.Stdin}
	s := &session{Context: ctx, Process: p, named: c.Config, configFile: config.Find(c.Config, p.Environ, p.Settings)}
	return s.exit(command.Run(s))
}

// plain returns an error of the parser without its words that say nothing to an operator.
func plain(err error) string {
	text := err.Error()
	for _, w := range [][2]string{
		{`expected \S+ value but got "EOL" \(<EOL>\)|missing value, expecting "<arg>"`, "its value is missing"},
		{`expected \S+ value but got (".*?") \(\w+ flag\)`, "expected a value but got $1"},
		{`expected a valid \d+ bit u?int but got`, "expected a whole number but got"},
		{`(expected duration but got ".*"): time: .*`, "$1: write one such as 24h"},
	} {
		text = regexp.MustCompile(w[0]).ReplaceAllString(text, w[1])
	}
	return text
}

// interrupts reports whether an error says, in the words of whatever was stopped, that a signal has come. One of
// errInterrupted says more.
func interrupts(err error) bool {
	at := strings.Index(err.Error(), errInterrupted.Error())
	return at > 0 || at < 0 && errors.Is(err, context.Canceled)
}

// stopped adds what is true now to the error of a command that a signal has ended.
func (s *session) stopped(err error, now string) error {
	if err != nil && s.Err() != nil && interrupts(err) {
		return fmt.Errorf("%w: %s", errInterrupted, now)
	}
	return err
}

// meant returns the longest command that the parser recognized.
func meant(err error) string {
	words := []string{"portico"}
	if bad, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, step := range bad.Context.Path {
			if step.Command != nil {
				words = append(words, step.Command.Name)
			}
		}
	}
	return strings.Join(words, " ")
}

// exit prints an error in words and returns the exit code.
func (s *session) exit(err error) int {
	if err == nil {
		return exitDone
	}
	if s.Err() != nil && interrupts(err) {
		err = errInterrupted
	}
	if problems, ok := errors.AsType[config.Problems](err); ok {
		for _, p := range problems {
			complain(s.Stderr, "portico:", s.located(p.String()))
		}
		return exitUsage
	}
	if errors.Is(err, errUsage) {
		complain(s.Stderr, "portico:", err)
		return exitUsage
	}
	if errors.Is(err, errAbsent) {
		complain(s.Stderr, "portico:", err)
		return exitMissing
	}
	f := fault.From(err)
	if cause := errors.Unwrap(f); f.Kind == fault.Unavailable && cause != nil {
		// Operators see the cause, visitors do not. It is printed on one line.
		complain(s.Stderr, "portico: the database does not answer:", strings.Join(strings.Fields(cause.Error()), " "))
		return exitFailed
	}
	if f.Kind == fault.Internal {
		complain(s.Stderr, "portico:", s.located(err.Error()))
		if call := s.onTrial(err); call != "" {
			complain(s.Stderr, "for the data of 'portico dev':", call)
		}
		if errors.Is(err, fs.ErrExist) {
			return exitExists
		}
		return exitFailed
	}
	for _, line := range faultLines(f) {
		complain(s.Stderr, "portico:", line)
	}
	switch {
	case f.Kind == fault.Missing:
		return exitMissing
	case f.Code == account.CodeExists:
		return exitExists
	case f.Kind == fault.Invalid: // an argument, or what was read in place of one
		return exitUsage
	}
	return exitFailed
}

// faultLines returns the words of a fault: one line per field, or one line for
// the whole fault.
func faultLines(f *fault.Error) []string {
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		return []string{f.Error()}
	}
	var lines []string
	for _, field := range f.Fields {
		lines = append(lines, field.Name+": "+server.FieldWords(catalogue, "en", field))
	}
	if lines == nil {
		lines = []string{server.Words(catalogue, "en", f)}
	}
	return lines
}

// settings loads the configuration.
func (s *session) settings() (config.Config, error) {
	return config.Load(s.configFile, s.Environ)
}

// withApp runs fn with an App that does not serve. Links of another address than the server's lead nowhere, and it
// sends no email that has one.
func (s *session) withApp(fn func(*app.App) error) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	if cfg.PublicURL == nil {
		cfg.PublicURL = dev.PublicURL(cfg.DatabaseURL)
	}
	a, err := app.New(s, cfg, app.Options{Existing: true})
	if err != nil {
		return err
	}
	err = fn(a)
	if cfg.PublicURL == nil && a.Outbox.HasEnqueued() {
		complain(s.Stderr, "portico: warning: public_url is not set, so the server will send no email of this command: run commands with its settings")
	}
	return errors.Join(err, a.Close())
}

// linked refuses what is there for its links, without the address to which they lead.
func linked(a *app.App) error {
	if a.Config.PublicURL == nil {
		return fmt.Errorf("%w: public_url is not set, and links lead to it: run this with the settings of the server", errUsage)
	}
	return nil
}

// logger returns the configured logger. It writes to standard error. An entry may contain
// text from outside, and people read it in a terminal.
func (s *session) logger(cfg config.Log) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(cfg.Level)) // config has checked the value
	options := &slog.HandlerOptions{Level: level}
	if cfg.Format == "text" {
		return slog.New(slog.NewTextHandler(legible.Lines(s.Stderr), options))
	}
	return slog.New(slog.NewJSONHandler(legible.Lines(s.Stderr), options))
}

package cli

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type manualCmd struct{}

func (manualCmd) Help() string {
	return "Example:\n  portico manual | man -l -\n\nThe Debian package installs it: 'man portico'."
}

// Run prints the help of all commands as a page for man.
func (manualCmd) Run(s *session, k *kong.Context) error {
	b := build()
	date, _, _ := strings.Cut(b.Date, "T")
	p := page{`.TH PORTICO 1 "` + date + `" "portico ` + b.Version + `" "Portico"`}
	p.section("NAME", "portico - sign-in, registration and account recovery for web apps")
	p.section("SYNOPSIS", "portico COMMAND [OPTION]...")
	p.section("DESCRIPTION", k.Model.Help)
	p.line(".SH OPTIONS")
	p.flags(k.Model.Flags)
	p.line(".SH COMMANDS")
	for _, command := range k.Model.Leaves(true) {
		p.command(command)
	}
	p.line(".SH FILES")
	p.item("portico.toml, /etc/portico/portico.toml", "The settings, unless --config or PORTICO_CONFIG names another file.")
	p.item("/var/lib/portico", "The database and the master key of the Debian package.")
	p.item("docs/README.md", "The documents.")
	p.section("ENVIRONMENT", "Every setting is a variable as well, such as PORTICO_PUBLIC_URL. 'portico config doc' lists them.")
	p.line(".SH EXIT STATUS")
	for _, code := range [][2]string{{"0", "Success."}, {"1", "Failure."}, {"2", "Wrong usage or settings."}, {"3", "Not found."}, {"4", "It exists already."}} {
		p.item(code[0], code[1])
	}
	return s.print(false, nil, p...)
}

// page is the lines of a page in the language of roff.
type page []string

func (p *page) line(line string) { *p = append(*p, line) }

// text adds words as they are. None becomes a command of roff.
func (p *page) text(text string) {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	p.line(text)
}

func (p *page) section(title, text string) {
	p.line(".SH " + title)
	p.text(text)
}

// item adds a word with its meaning below.
func (p *page) item(word, meaning string) {
	p.line(".TP")
	p.text(word)
	p.text(meaning)
}

// flags adds the options of a command.
func (p *page) flags(flags []*kong.Flag) {
	for _, flag := range flags {
		if !flag.Hidden {
			p.item(flag.String(), flag.Help)
		}
	}
}

// command adds a command with its help. Paragraphs have an empty line between them, and lines of code begin with
// blanks, as kong prints them.
func (p *page) command(c *kong.Node) {
	p.line(".SS")
	p.text(c.FullPath() + strings.TrimPrefix(c.Summary(), c.Path()))
	p.text(c.Help)
	for paragraph := range strings.SplitSeq(c.Detail, "\n\n") {
		p.line(".PP")
		for line := range strings.SplitSeq(paragraph, "\n") {
			if code := strings.TrimLeft(line, " "); code != line {
				p.line(".RS 4")
				p.line(".nf")
				p.text(code)
				p.line(".fi")
				p.line(".RE")
			} else {
				p.text(line)
			}
		}
	}
	for _, argument := range c.Positional {
		p.item(argument.Summary(), argument.Help)
	}
	p.flags(slices.DeleteFunc(slices.Clone(c.Flags), func(f *kong.Flag) bool { return f.Name == "help" }))
}

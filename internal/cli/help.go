package cli

import (
	"os"
	"path/filepath"
	"regexp"

	"github.com/alecthomas/kong"
)

// helpWords turns 'portico help user create' into 'portico user create --help'.
func helpWords(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(append([]string{}, args[1:]...), "--help")
	}
	return args
}

// document is the path of a document in a text, as it is in a release.
var document = regexp.MustCompile(`docs/[a-z/-]+\.md`)

// located returns a text with the paths on this machine of the documents that it names.
func (p Process) located(text string) string {
	return document.ReplaceAllStringFunc(text, func(name string) string {
		for _, folder := range p.Documents {
			if path := filepath.Join(folder, name); !missing(path) {
				return path
			}
		}
		return name + " in the archive of the release"
	})
}

// Documents returns the folders that may hold docs: next to the program, where the archive
// and a checkout have it, and the folder of the package.
func Documents() []string {
	folders := []string{"/usr/share/doc/portico"}
	program, err := os.Executable()
	if err != nil {
		return folders
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	beside := filepath.Dir(program)
	return append([]string{beside, filepath.Dir(beside)}, folders...)
}

// printHelp prints the help of a command.
func (p Process) printHelp(options kong.HelpOptions, c *kong.Context) error {
	err := kong.Visit(c.Model, func(v kong.Visitable, next kong.Next) error {
		if node, ok := v.(*kong.Node); ok {
			node.Detail = p.located(node.Detail)
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	return kong.DefaultHelpPrinter(options, c)
}

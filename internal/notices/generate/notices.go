package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// part is software or data of others, with the texts that must go along.
type part struct {
	name  string
	texts []string
}

// data is what is embedded without a package of its own.
var data = []struct{ name, file string }{
	{"List of common passwords (internal/breach/filter.bin)", "internal/breach/NOTICE"},
	{"Icons of providers (web/src/ui/provider-paths.ts)", "web/src/ui/provider-icons-notice.txt"},
	{"Public Suffix List (golang.org/x/net/publicsuffix)", "internal/server/ops/NOTICE"},
}

// generated returns the text for the repository in the folder root.
func generated(root string) (string, error) {
	modules, err := goModules(root)
	if err != nil {
		return "", err
	}
	packages, err := npmPackages(filepath.Join(root, "web"))
	if err != nil {
		return "", err
	}
	parts := append(modules, packages...)
	for _, d := range data {
		text, err := os.ReadFile(filepath.Join(root, d.file))
		if err != nil {
			return "", err
		}
		parts = append(parts, part{d.name, []string{clean(text)}})
	}
	return render(parts), nil
}

// render lists the parts, then each text once.
func render(parts []part) string {
	var list, body strings.Builder
	numbers := map[string]int{}
	for _, p := range parts {
		list.WriteString("  " + p.name)
		for _, text := range p.texts {
			n, known := numbers[text]
			if !known {
				n = len(numbers) + 1
				numbers[text] = n
				fmt.Fprintf(&body, "\n%s\n[%d]\n\n%s\n", strings.Repeat("-", 72), n, text)
			}
			fmt.Fprintf(&list, " [%d]", n)
		}
		list.WriteString("\n")
	}
	return "Portico contains the software and data of others listed here. The number\nbehind a name is that of its license or notice below.\n\n" +
		list.String() + body.String()
}

// clean returns a text with the line ends of Unix and without blank space
// around it, so that texts that say the same are found to be the same.
func clean(text []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n\ufeff")
}

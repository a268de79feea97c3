package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are what releases are built for. Each links modules that others do not.
var systems = []string{"linux", "darwin", "windows"}

// licenseFile matches the files that must go along with a module's code.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\.(md|txt))?$`)

// toolchainLicense is a module with the same license as the Go toolchain, whose
// Debian package comes without the file.
const toolchainLicense = "golang.org/x/sys"

// module is a linked module and the folders that may hold licenses: its root, and
// the folders of the linked packages, which may contain the code of others.
type module struct {
	root    string
	folders map[string]bool
}

// goModules returns the modules that are linked into portico on any system, and
// the standard library.
func goModules(root string) ([]part, error) {
	modules := map[string]*module{} // by name and version
	for _, system := range systems {
		if err := linked(modules, root, system); err != nil {
			return nil, fmt.Errorf("list the modules for %s: %w", system, err)
		}
	}
	parts := []part{{name: "Go standard library and runtime"}}
	for name, m := range modules {
		texts, err := licenses(m.root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if strings.HasPrefix(name, toolchainLicense+" ") {
			parts[0].texts = texts
		}
		for _, folder := range slices.Sorted(maps.Keys(m.folders)) {
			if inner, err := licenses(folder); err == nil {
				texts = append(texts, inner...)
			}
		}
		parts = append(parts, part{name, texts})
	}
	slices.SortFunc(parts[1:], func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts, nil
}

// linked adds the modules that the binary for a system contains.
func linked(modules map[string]*module, root, system string) error {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "./cmd/portico")
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := list.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue // of the standard library, or ours
		}
		name, top := fields[0], fields[1]
		if modules[name] == nil {
			modules[name] = &module{root: top, folders: map[string]bool{}}
		}
		for folder := fields[2]; folder != top; folder = filepath.Dir(folder) {
			modules[name].folders[folder] = true
		}
	}
	return nil
}

// licenses returns the texts of a folder in the order of their file names. A
// folder without one is an error: somebody must find out what it may be used for.
func licenses(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, clean(text))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no license file: find out its terms before it is used", folder)
	}
	return texts, nil
}

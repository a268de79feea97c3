package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// wheelLines are the lines of METADATA that pyproject.toml has, too.
var wheelLines = []struct{ line, from string }{
	{"Name", `name = "(.+)"`},
	{"Summary", `description = "(.+)"`},
	{"License", `license = \{ text = "(.+)" \}`},
	{"Requires-Python", `requires-python = "(.+)"`},
	{"Requires-Dist", `dependencies = \["(.+)"\]`},
}

// wheelVersion is lower than the version of a release that is still to come.
func (r *release) wheelVersion() string {
	version, build, _ := strings.Cut(r.version, "+")
	if number, commit, _ := strings.Cut(build, "."); r.early {
		return version + ".dev" + number + "+" + commit
	}
	return r.version
}

// pyClient packs the Python client as a wheel (PEP 427), for which a release needs
// no Python. It has the version of Portico, which has the form of PEP 440.
func (r *release) pyClient() error {
	source := filepath.Join(r.root, "clients", "python")
	project, err := os.ReadFile(filepath.Join(source, "pyproject.toml"))
	if err != nil {
		return err
	}
	about := "Metadata-Version: 2.1\nVersion: " + r.wheelVersion() + "\n"
	for _, l := range wheelLines {
		found := regexp.MustCompile(`(?m)^` + l.from + `$`).FindSubmatch(project)
		if found == nil {
			return fmt.Errorf("pyproject.toml has no line for %s", l.line)
		}
		about += l.line + ": " + string(found[1]) + "\n"
	}
	manual, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		return err
	}
	about += "Description-Content-Type: text/markdown\n\n" + string(manual)
	license, err := os.ReadFile(filepath.Join(source, "LICENSE"))
	if err != nil {
		return err
	}
	named := "portico_client-" + r.wheelVersion()
	return r.wheel(named, source, []part{
		{named + ".dist-info/LICENSE", license},
		{named + ".dist-info/METADATA", []byte(about)},
		{named + ".dist-info/WHEEL", []byte("Wheel-Version: 1.0\nGenerator: portico\nRoot-Is-Purelib: true\nTag: py3-none-any\n")},
	})
}

// wheel writes the modules, what is told about them, and the sums of both.
func (r *release) wheel(named, source string, about []part) error {
	modules, err := filepath.Glob(filepath.Join(source, "portico_client", "*.*"))
	if err != nil {
		return err
	}
	var files []part
	for _, path := range modules {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files = append(files, part{"portico_client/" + filepath.Base(path), text})
	}
	files = append(files, about...)
	record, sums := named+".dist-info/RECORD", ""
	for _, f := range files {
		sum := sha256.Sum256(f.content)
		sums += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	return r.zip(named+"-py3-none-any.whl", append(files, part{record, []byte(sums + record + ",,\n")}))
}

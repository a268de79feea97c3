package main

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// papers are the files next to the binary: documents with the files that they link to,
// completions, and the manual. Their paths are the same in the repository, in archives and
// in the folder of documents of the package.
var papers = []string{
	"CHANGELOG.md",
	"CONTRIBUTING.md",
	"LICENSE",
	"README.md",
	"SECURITY.md",
	"docs",
	"packaging/completions",
	"packaging/compose",
	"packaging/kubernetes",
	"packaging/portico.service",
	"packaging/portico.sysusers",
	"packaging/portico.toml",
	"test/bench/RESULTS.md",
}

// paper is a file with its path in the tree of the papers.
type paper struct{ source, name string }

// collect lists the papers. It makes the manual from the help of the commands, by a binary for this machine.
func (r *release) collect(folder string) error {
	names, err := r.git(append([]string{"ls-files", "--"}, papers...)...)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(names, "\n") {
		r.papers = append(r.papers, paper{filepath.Join(r.root, name), name})
	}
	r.papers = append(r.papers, paper{filepath.Join(r.root, "internal/notices/NOTICES.txt"), "NOTICES.txt"})
	r.host = filepath.Join(folder, "portico")
	if err := r.build(r.host, runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	text, err := exec.Command(r.host, "manual").Output()
	if err != nil {
		return err
	}
	r.manual = filepath.Join(folder, "portico.1")
	r.packaged = filepath.Join(folder, "packaged.1")
	if err := os.WriteFile(r.manual, text, 0o644); err != nil {
		return err
	}
	r.papers = append(r.papers, paper{r.manual, "portico.1"})
	return os.WriteFile(r.packaged, bytes.ReplaceAll(text, []byte("docs/"), []byte(documents+"/docs/")), 0o644)
}

// documents is where the package puts the papers.
const documents = "/usr/share/doc/portico"

// destination returns where the package puts a paper.
func (p paper) destination() string {
	switch dir, base := path.Split(p.name); {
	case dir != "packaging/completions/":
		return path.Join(documents, p.name)
	case strings.HasPrefix(base, "_"):
		return "/usr/share/zsh/vendor-completions/" + base
	case strings.HasSuffix(base, ".fish"):
		return "/usr/share/fish/vendor_completions.d/" + base
	}
	return "/usr/share/bash-completion/completions/portico"
}

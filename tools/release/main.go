// Command release makes the files of a release from a commit that carries a
// tag: archives and Debian packages with the binary, a list of what is in it
// (CycloneDX), and the clients for apps. SHA256SUMS has the sum of each file.
//
// The same commit gives the same bytes in every folder and on every day: paths
// and times of the machine are left out, and files carry the time of the commit.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// targets are the systems that a release has binaries for. Debian packages are
// made for Linux only.
const targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	root := flags.String("root", "../..", "the repository, with its screens built")
	out := flags.String("out", "../../bin/release", "the folder that the files are written to; it is emptied first")
	list := flags.String("targets", targets, "systems and architectures to build for")
	snapshot := flags.Bool("snapshot", false, "build a commit that has no tag, or a tree with changes")
	path := flags.String("go-module", goModule, "the path of the Go client, for a host that serves it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	r := release{root: *root, out: *out, goPath: *path}
	if err := r.identify(*snapshot); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "portico-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := r.collect(folder); err != nil {
		return err
	}
	for target := range strings.SplitSeq(*list, ",") {
		if err := r.make(target); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	if err := errors.Join(r.goClient(), r.jsClient(), r.pyClient()); err != nil {
		return fmt.Errorf("clients for apps: %w", err)
	}
	return r.sum()
}

// make builds one target and packs it.
func (r *release) make(target string) error {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return fmt.Errorf("write a target as linux/amd64")
	}
	folder, err := os.MkdirTemp("", "portico-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary := r.host
	if system != runtime.GOOS || arch != runtime.GOARCH {
		binary = filepath.Join(folder, "portico")
		if system == "windows" {
			binary += ".exe"
		}
		if err := r.build(binary, system, arch); err != nil {
			return err
		}
	}
	name := strings.Join([]string{"portico", r.version, system, arch}, "_")
	if err := r.archive(name, binary, system == "windows"); err != nil {
		return err
	}
	if err := r.listParts(name+".cdx.json", binary); err != nil {
		return err
	}
	if system == "linux" {
		return r.debian(binary, arch)
	}
	return nil
}

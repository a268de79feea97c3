package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// goModule is the path of the Go client in the repository (docs/decisions/0097-names-of-the-packages.md).
const goModule = "portico.internal/clients/go"

// goClient packs the Go client as a module proxy in an archive: unpacked, its
// folder is an address for GOPROXY.
func (r *release) goClient() error {
	folder, err := r.copied("go", nil, func(name, text string) string { return strings.ReplaceAll(text, goModule, r.goPath) })
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	version := module.Version{Path: r.goPath, Version: "v" + r.dashed()}
	var packed bytes.Buffer
	if err := modzip.CreateFromDir(&packed, version, folder); err != nil {
		return err
	}
	requirements, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version.Version, "Time": r.when.Format(time.RFC3339)})
	if err != nil {
		return err
	}
	at := r.goPath + "/@v/"
	return r.zip("portico-client-go_"+r.dashed()+".zip", []part{
		{at + "list", []byte(version.Version + "\n")},
		{at + version.Version + ".info", info},
		{at + version.Version + ".mod", requirements},
		{at + version.Version + ".zip", packed.Bytes()},
	})
}

// part is a file of an archive.
type part struct {
	name    string
	content []byte
}

// zip writes an archive to the folder of the release.
func (r *release) zip(name string, parts []part) (err error) {
	file, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	archive := zip.NewWriter(file)
	for _, part := range parts {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Deflate, Modified: r.when})
		if err != nil {
			return err
		}
		if _, err := w.Write(part.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// dashed returns the version of the clients. Go modules refuse a build number
// after "+", and npm drops it.
func (r *release) dashed() string {
	version, number, found := strings.Cut(r.version, "+")
	if !found {
		return version
	}
	return version + "-" + strings.ReplaceAll(number, ".", "-")
}

// jsClient packs the JavaScript client as `npm publish` would.
func (r *release) jsClient() error {
	folder, err := r.copied("js", []string{"src", "README.md", "LICENSE", "package.json"}, func(name, text string) string {
		if name != "package.json" {
			return text
		}
		return strings.Replace(text, "{\n", "{\n  \"version\": \""+r.dashed()+"\",\n", 1)
	})
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	out, err := filepath.Abs(r.out)
	if err != nil {
		return err
	}
	pack := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", out)
	pack.Dir = folder
	if said, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack: %w\n%s", err, said)
	}
	return nil
}

// copied copies a client to a folder of its own, or only what is named, and lets
// edit change the text of each file. The caller removes the folder.
func (r *release) copied(client string, names []string, edit func(name, text string) string) (string, error) {
	folder, err := os.MkdirTemp("", "portico-client")
	if err != nil {
		return "", err
	}
	source := filepath.Join(r.root, "clients", client)
	err = filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		switch {
		case name == ".":
			return nil
		case names != nil && !slices.Contains(names, top):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return os.Mkdir(filepath.Join(folder, name), 0o755)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		copied := filepath.Join(folder, name)
		return errors.Join(os.WriteFile(copied, []byte(edit(name, string(text))), 0o644), os.Chmod(copied, 0o644)) // under every umask
	})
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}

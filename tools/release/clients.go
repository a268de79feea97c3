package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// goModule is the path of the Go client (docs/decisions/0030-paths-of-the-clients.md).
const goModule = "portico.internal/clients/go"

// goClient packs the Go client as a module proxy in an archive: unpacked, its
// folder is an address for GOPROXY.
func (r *release) goClient() (err error) {
	version := module.Version{Path: goModule, Version: "v" + r.dashed()}
	folder := filepath.Join(r.root, "clients", "go")
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
	file, err := os.Create(filepath.Join(r.out, "portico-client-go_"+r.dashed()+".zip"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	archive := zip.NewWriter(file)
	for _, part := range []struct {
		name    string
		content []byte
	}{
		{"list", []byte(version.Version + "\n")},
		{version.Version + ".info", info},
		{version.Version + ".mod", requirements},
		{version.Version + ".zip", packed.Bytes()},
	} {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: goModule + "/@v/" + part.name, Method: zip.Deflate, Modified: r.when})
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
	folder, err := os.MkdirTemp("", "portico-client")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	source := filepath.Join(r.root, "clients", "js")
	for _, name := range []string{"src", "README.md", "LICENSE"} {
		if out, err := exec.Command("cp", "-R", filepath.Join(source, name), folder).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(source, "package.json"))
	if err != nil {
		return err
	}
	with := bytes.Replace(manifest, []byte("{\n"), []byte("{\n  \"version\": \""+r.dashed()+"\",\n"), 1)
	if err := os.WriteFile(filepath.Join(folder, "package.json"), with, 0o644); err != nil {
		return err
	}
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

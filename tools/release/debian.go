package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// debianVersion is lower than the version of a release that is still to come (deb-version(7)).
func (r *release) debianVersion() string {
	if r.early {
		return strings.Replace(r.version, "+", "~", 1)
	}
	return r.version
}

// debian writes the Debian package: the binary, a service with a user of its
// own, and settings that an upgrade does not replace.
func (r *release) debian(binary, arch string) error {
	source := func(name string) string { return filepath.Join(r.root, name) }
	content := func(from, to, kind string, mode os.FileMode) *files.Content {
		info := &files.ContentFileInfo{Mode: mode, Owner: "root", Group: "root", MTime: r.when}
		return &files.Content{Source: from, Destination: to, Type: kind, FileInfo: info}
	}
	contents := files.Contents{
		content(binary, "/usr/bin/portico", files.TypeFile, 0o755),
		content(source("packaging/portico.toml"), "/etc/portico/portico.toml", files.TypeConfigNoReplace, 0o640),
		content(source("packaging/portico.service"), "/usr/lib/systemd/system/portico.service", files.TypeFile, 0o644),
		content(source("packaging/portico.sysusers"), "/usr/lib/sysusers.d/portico.conf", files.TypeFile, 0o644),
		content(source("LICENSE"), documents+"/copyright", files.TypeFile, 0o644),
		content(r.packaged, "/usr/share/man/man1/portico.1", files.TypeFile, 0o644),
	}
	for _, paper := range r.papers {
		if paper.source != r.manual {
			contents = append(contents, content(paper.source, paper.destination(), files.TypeFile, 0o644))
		}
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "portico", Version: r.debianVersion(), VersionSchema: "none", Arch: arch, Platform: "linux", MTime: r.when,
		Section: "net", Priority: "optional", License: "Apache-2.0",
		Maintainer:  "The Portico authors <portico@localhost>",
		Description: "Sign-in, registration and account recovery for web apps",
		Overridables: nfpm.Overridables{
			Recommends: []string{"ca-certificates"},
			Scripts: nfpm.Scripts{
				PostInstall: source("packaging/postinst"), PreRemove: source("packaging/prerm"), PostRemove: source("packaging/postrm"),
			},
			Contents: contents,
		},
	})
	info.Target = filepath.Join(r.out, deb.Default.ConventionalFileName(info))
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	file, err := os.Create(info.Target)
	if err != nil {
		return err
	}
	return errors.Join(deb.Default.Package(info, file), file.Close())
}

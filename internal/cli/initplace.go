package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"portico/internal/config"
	"portico/internal/file"
)

// packageData is the folder of the database and the key of an installation by the package.
const packageData = "/var/lib/portico"

// place is where a new installation begins.
type place struct {
	settings string
	filled   bool   // the settings are there, with comments alone
	before   string // their text then
	data     string // the folder of the database and the key, for settings that name none

	database, key string   // as the settings and the environment say
	absent        []string // of the files and folders of the data
}

// begins returns the place of a new installation. It refuses settings that an operator has
// written, and an existing database.
func (s *session) begins() (p place, err error) {
	p = place{settings: cmp.Or(s.configFile, "portico.toml"), data: "portico-data"}
	if p.settings == s.Settings {
		p.data = packageData
	}
	if err := p.read(); err != nil {
		return p, err
	}
	cfg, err := config.Parse(p.settings, p.withData(), s.Environ)
	if err != nil {
		return p, err
	}
	p.database, p.key = cfg.DatabaseURL, cfg.SecretFile
	paths := []string{filepath.Dir(p.key), p.key}
	if path, ok := strings.CutPrefix(p.database, "sqlite:"); ok {
		if !missing(path) {
			return p, taken(path)
		}
		paths = append(paths, filepath.Dir(path), path, path+"-wal", path+"-shm")
	}
	for _, path := range paths {
		if missing(path) {
			p.absent = append(p.absent, path)
		}
	}
	return p, nil
}

// read reads the settings if they exist. It makes sure that they can be written before any
// question is asked.
func (p *place) read() error {
	text, err := file.Read(p.settings, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return asRoot(file.Replaceable(p.settings))
	case err != nil:
		return asRoot(err)
	}
	p.filled, p.before = true, string(text)
	cfg, err := config.Parse(p.settings, p.before, nil)
	if err != nil {
		return err
	}
	for _, e := range cfg.Entries() {
		if e.Source != "default" && e.Key != "database_url" && e.Key != "secret_file" {
			return taken(p.settings)
		}
	}
	return asRoot(file.Replaceable(p.settings))
}

// asRoot adds to an error what helps against a lack of permission.
func asRoot(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: run this as root. For another installation, use an empty folder and --config=portico.toml", err)
	}
	return err
}

// withData returns the text of the settings that is known before the questions.
func (p *place) withData() string {
	return merged(p.before, fmt.Sprintf("database_url = %q\nsecret_file = %q\n", "sqlite:"+p.data+"/portico.db", p.data+"/secret.key"))
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// taken says that a file is there already.
func taken(path string) error {
	return fmt.Errorf("%s already exists: change the settings by hand. For another installation, use an empty folder and --config=portico.toml (%w)", path, fs.ErrExist)
}

// withdraw removes what this command has made, after it failed.
func (p *place) withdraw(made []string) error {
	var failed error
	for _, path := range made {
		failed = errors.Join(failed, os.RemoveAll(path))
	}
	if p.filled {
		failed = errors.Join(failed, file.Replace(p.settings, p.before))
	}
	return failed
}

// told says where the data is.
func (p *place) told() []string {
	folder := filepath.Dir(p.key)
	path, sqlite := strings.CutPrefix(p.database, "sqlite:")
	switch {
	case sqlite && filepath.Dir(path) == folder:
		return []string{folder + "\tthe database and the master key: back up both"}
	case sqlite:
		return []string{path + "\tthe database", p.key + "\tthe master key: back up both"}
	}
	return []string{p.key + "\tthe master key: back it up with the database"}
}

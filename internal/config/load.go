package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"portico/internal/file"
	"portico/internal/legible"
)

const (
	defaultFile = "portico.toml"

	// maxFile is the size limit of a settings file or a secret file, in bytes.
	maxFile = 1 << 20
)

// Find returns the file of settings that a command reads: the file that it names, or the one that PORTICO_CONFIG
// names, or portico.toml in the current folder, or the one of the package. It returns "" if there is none.
func Find(named string, environ []string, packaged string) string {
	if named = cmp.Or(named, legible.Trim(lookUpEnv(environ, envConfig))); named != "" {
		return named
	}
	if _, err := os.Stat(defaultFile); err == nil { // any other error concerns the current folder
		return defaultFile
	}
	if _, err := os.Stat(packaged); packaged != "" && !errors.Is(err, fs.ErrNotExist) {
		return packaged
	}
	return ""
}

// Parse reads the settings as Load does, from the text of a file.
func Parse(path, text string, environ []string) (Config, error) {
	return load(path, []byte(text), environ)
}

// Load reads the settings. The environment ("NAME=value" lines) overrides the
// file at path, which Find returns, and the file overrides the defaults. An empty
// path means portico.toml in the current folder, which may be missing. The error is
// of type Problems.
func Load(path string, environ []string) (Config, error) {
	named := path != ""
	if !named {
		path = defaultFile
	}
	data, err := file.Text(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) && !named {
		data, err = nil, nil
	}
	if err != nil {
		write := "write the path of a file that this user can read"
		if errors.Is(err, fs.ErrPermission) {
			write = "run this as root or as the user of the server, or " + write
		}
		return unread(), Problems{{Source: path, Key: "file", Why: file.Plain(err).Error(), Write: write}}
	}
	c, err := load(path, data, environ)
	if beside := filepath.Join(filepath.Dir(path), "texts"); c.Texts == "" && c.Known("texts") {
		if _, missing := os.Stat(beside); !errors.Is(missing, fs.ErrNotExist) {
			c.Texts = beside
		}
	}
	return c, err
}

func load(file string, data []byte, environ []string) (Config, error) {
	l := loader{config: Default(), file: file, taken: map[string]string{}}
	fromFile, ps := readTOML(file, data)
	l.problems, l.config.unread = ps, len(ps) > 0
	// Take the environment first, so that an overridden value of the file is
	// not even checked.
	env := variables(environ)
	for _, e := range fromFile {
		l.announce(e) // providers keep the order of the file
	}
	for _, e := range env {
		l.take(e, key.env)
	}
	l.fileBegins()
	for _, e := range fromFile {
		l.take(e, func(k key) string { return k.name })
	}
	l.proxy(environ)
	l.presets()
	if l.config.Profile == profileNIST {
		l.config.assumeNIST()
	}
	if l.config.TLS.On() && !l.config.IsSet("listen") {
		l.config.Listen = ":443"
	}
	checked := l.config.check()
	for _, p := range checked {
		l.config.broken[p.Key] = true
	}
	if l.problems = append(l.problems, checked...); len(l.problems) > 0 {
		return l.config, l.problems
	}
	return l.config, nil
}

// unread returns the settings for a file that could not be read.
func unread() Config {
	c := Default()
	c.unread = true
	return c
}

// loader fills a Config from entries.
type loader struct {
	config   Config
	problems Problems
	file     string            // of the settings
	taken    map[string]string // key -> the name that gave it
	fromEnv  map[string]bool   // keys that the environment gave
}

// announce adds the provider that an entry belongs to.
func (l *loader) announce(e entry) {
	if id := providerOf(e.name); id != "" && !e.empty() {
		l.config.provider(id)
		if table := "providers." + id; !l.config.IsSet(table) {
			l.config.sources[table] = e.source
		}
	}
}

// fileBegins marks the keys taken so far as given by the environment.
func (l *loader) fileBegins() {
	l.fromEnv = make(map[string]bool, len(l.taken))
	for name := range l.taken {
		l.fromEnv[name] = true
	}
}

// take stores one entry. spell returns the name of a key in the entry's source.
func (l *loader) take(e entry, spell func(key) string) {
	if array, n, ok := tableOf(e.name); ok && e.name == array+"."+strconv.Itoa(n) {
		switch array {
		case clientArray:
			l.config.client(n)
		case hookArray:
			l.config.webhook(n)
		default:
			l.config.app(n)
		}
		l.config.sources[e.name] = e.source
		return
	}
	k, isFile, found := find(e.name, spell)
	if !found {
		l.problem(e, "unknown setting", suggest(e.name, spell))
		if meant, ok := misplaced(e.name); ok {
			l.config.broken[meant] = true
		} else if meant, ok := nearest(e.name, spell); ok {
			l.config.broken[meant.of.name] = true
		}
		return
	}
	e.trim()
	if e.empty() && !k.stated || l.fromEnv[k.name] {
		return
	}
	if other, given := l.taken[k.name]; given {
		l.problem(e, "the same setting is given by "+other, "keep one of them")
		return
	}
	l.announce(e)
	l.taken[k.name] = e.name
	wrong := k.illegible(e.value)
	if e.inQuotes() {
		wrong = only(&mistake{"the value is in quotes, which are part of the value here", "remove them"})
	}
	path := l.file
	if isFile && wrong == nil {
		text, err := readSecret(e.raw)
		if err != nil {
			l.problem(e, err.Error(), "write the path of a file that contains only the value")
			l.config.broken[k.name] = true
			return
		}
		if wrong = k.illegible(value{raw: text}); wrong != nil {
			e.source = e.raw.(string) // the mistake is in the file
		}
		path, e.raw = e.raw.(string), text
	}
	if wrong == nil {
		wrong = k.set(&l.config, e.value)
	}
	for _, m := range wrong {
		at := e
		if m.item >= 0 && m.item < len(e.items) {
			at.source = e.items[m.item]
		}
		l.problem(at, m.why, m.write)
		l.config.broken[k.name] = true
	}
	if k.digest != nil && (isFile || l.fromEnv != nil) && strings.Contains(k.get(&l.config), hidden) {
		l.config.held = append(l.config.held, held{k.name, path})
	}
	l.config.sources[k.name] = e.source
	for i, at := range e.items {
		l.config.sources[itemKey(k.name, i)] = at
	}
}

// presets fills in the values that each provider's preset knows.
func (l *loader) presets() {
	for i := range l.config.Providers {
		p := &l.config.Providers[i]
		if p.Preset == "" {
			p.Preset = "openid"
			if slices.Contains(presets(), p.ID) {
				p.Preset = p.ID
			}
		}
		if !l.config.IsSet("providers." + p.ID + ".trust_email") {
			p.TrustEmail = p.Issuer == "" && trusted(p.Preset)
		}
	}
}

func (l *loader) problem(e entry, why, write string) {
	name := e.name
	if legible.Check(name) != nil {
		name = strconv.Quote(name)
	}
	l.problems = append(l.problems, Problem{Source: e.source, Key: name, Why: why, Write: write})
}

// find returns the key with a given name. isFile reports whether the name is
// the _file form of the key.
func find(name string, spell func(key) string) (k key, isFile, found bool) {
	for _, k := range withFiles(candidates(name)) {
		if spell(k.key) == name {
			return k.of, k.isFile, true
		}
	}
	return key{}, false, false
}

// candidates returns the keys that a name may refer to.
func candidates(name string) []key {
	if id := providerOf(name); id != "" {
		return providerKeys(id)
	}
	if array, n, ok := tableOf(name); ok {
		return tableKeys(array, n)
	}
	return keys()
}

// spelled is a key under its own name or under its _file form.
type spelled struct {
	key
	of     key
	isFile bool
}

// withFiles adds the _file form of every secret, and of other long values.
func withFiles(ks []key) []spelled {
	var all []spelled
	for _, k := range ks {
		all = append(all, spelled{key: k, of: k})
		if k.secret || k.lines {
			file := k
			file.name += "_file"
			all = append(all, spelled{key: file, of: k, isFile: true})
		}
	}
	return all
}

// readSecret returns the content of a file without what editors add.
func readSecret(raw any) (string, error) {
	path, ok := raw.(string)
	if !ok {
		return "", errors.New("the value is not a path in quotes")
	}
	data, err := file.Text(path, maxFile)
	if err != nil {
		return "", file.Plain(err)
	}
	text := legible.Trim(string(data))
	if text == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

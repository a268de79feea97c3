package locale

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"portico/internal/file"
)

// Mistake says what is wrong with a text of the operator.
type Mistake struct {
	File  string // its name in the folder; "" for the folder itself
	Line  int    // 0 for the whole file
	Key   string // "" for the whole file
	Why   string
	Write string
}

// maxFile is the size limit of a file of texts, in bytes. All texts of a
// language are about 50 KB.
const maxFile = 1 << 20

// Replace returns the catalogue with the texts of an operator over its own. Each
// <locale>.json at the root of fsys has some of the keys; other files are
// ignored. Texts that cannot be used are in wrong, and the catalogue stays as it
// is. doubtful has texts that are used and probably not intended. nearest
// returns the known key that is most like another one.
func (c *Catalogue) Replace(fsys fs.FS, nearest func(key string, known []string) (string, bool)) (with *Catalogue, wrong, doubtful []Mistake) {
	other := *c
	other.texts = maps.Clone(c.texts)
	files, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return c, []Mistake{{Why: "the folder cannot be read", Write: "let this user read it"}}, nil
	}
	for _, entry := range files {
		loc, isText := strings.CutSuffix(entry.Name(), ".json")
		if !isText || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		r := reader{own: c, file: entry.Name(), loc: loc, nearest: nearest, texts: map[string]message{}}
		r.read(fsys)
		wrong, doubtful = append(wrong, r.wrong...), append(doubtful, r.doubtful...)
		if len(r.texts) > 0 {
			other.texts[loc] = maps.Clone(c.texts[loc])
			maps.Copy(other.texts[loc], r.texts)
		}
	}
	if len(wrong) > 0 {
		return c, wrong, doubtful
	}
	return &other, nil, doubtful
}

// reader reads one file of texts.
type reader struct {
	own       *Catalogue
	file, loc string
	nearest   func(string, []string) (string, bool)
	texts     map[string]message
	wrong     []Mistake
	doubtful  []Mistake
}

func (r *reader) read(fsys fs.FS) {
	fail := func(line int, why, write string) {
		r.wrong = append(r.wrong, Mistake{File: r.file, Line: line, Why: why, Write: write})
	}
	if !slices.Contains(r.own.locales, r.loc) {
		fail(0, "there are no texts in "+r.loc, "name the file after one of: "+strings.Join(r.own.locales, ", "))
		return
	}
	info, err := fs.Stat(fsys, r.file)
	if errors.Is(err, file.ErrKind) || err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		fail(0, "it is not a file of texts", fmt.Sprintf("write a file of at most %d KiB", maxFile>>10))
		return
	}
	data, err := fs.ReadFile(fsys, r.file)
	if err != nil {
		fail(0, "it cannot be read", "let this user read it")
		return
	}
	entries, bad := parseFile(data)
	if bad != nil {
		fail(bad.line, bad.why, `write {"key": "text"}, with a comma between two texts`)
		return
	}
	for _, e := range entries {
		r.take(e)
	}
}

// take keeps a text, or says why not.
func (r *reader) take(e entry) {
	mistake := Mistake{File: r.file, Line: e.line, Key: e.key}
	fail := func(why, write string) {
		mistake.Why, mistake.Write = why, write
		r.wrong = append(r.wrong, mistake)
	}
	own := r.own.message(r.loc, e.key)
	if _, known := r.own.texts[Default][e.key]; !known {
		write := "'portico texts " + r.loc + "' prints all keys"
		if meant, ok := r.nearest(e.key, r.own.Keys()); ok {
			write = "write " + meant
		}
		fail("there is no such text", write)
		return
	}
	if _, again := r.texts[e.key]; again {
		fail("the same key is above", "keep one of them")
		return
	}
	m, err := parseMessage(e.value)
	if err != nil {
		fail(err.Error(), example(own))
		return
	}
	r.texts[e.key] = m
	if why, write := m.misfit(own); why != "" {
		fail(why, write)
		return
	}
	for _, text := range m.all() {
		if found := markup.FindString(text); found != "" {
			if runes := []rune(found); len(runes) > 40 {
				found = string(runes[:39]) + "…"
			}
			mistake.Why, mistake.Write = "it is text, so "+found+" is shown as typed", "leave it out, unless people shall read it"
			r.doubtful = append(r.doubtful, mistake)
			return
		}
	}
}

package app

import (
	"fmt"
	"path/filepath"
	"sync"

	"portico/internal/config"
	"portico/internal/file"
	"portico/internal/locale"
	"portico/web"
)

// texts are the texts of an installation.
type texts struct {
	catalogue       *locale.Catalogue
	wrong, doubtful []locale.Mistake // of the operator's texts
}

// embedded returns the texts of the binary. It parses them once: a start and each
// reload of the settings need them several times.
var embedded = sync.OnceValues(func() (*locale.Catalogue, error) { return locale.Load(web.Messages) })

// readTexts reads the texts of the binary, with the operator's texts over them.
func readTexts(cfg config.Config) (t texts, err error) {
	if t.catalogue, err = embedded(); err != nil || cfg.Texts == "" {
		return t, err
	}
	t.catalogue, t.wrong, t.doubtful = t.catalogue.Replace(file.Folder(cfg.Texts), config.Nearest)
	return t, nil
}

// add adds mistakes to a report, each with its file and line.
func add(cfg config.Config, r *config.Report, all []locale.Mistake) {
	for _, m := range all {
		source, key := filepath.Join(cfg.Texts, m.File), m.Key
		if m.Line > 0 {
			source += fmt.Sprintf(":%d", m.Line)
		}
		if key == "" {
			key = "texts"
		}
		r.AddAt(source, key, m.Why, m.Write)
	}
}

package cli

import (
	"embed"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"portico/internal/config"
)

//go:embed snippets
var snippets embed.FS

// snippet returns the name of the file for the proxy.
func (a answers) snippet() string { return proxies[a.Proxy] }

// write writes the settings and the file for the proxy. It returns what it made.
func (a answers) write(settings string) (made []string, err error) {
	public, err := url.Parse(a.PublicURL)
	if err != nil {
		return nil, err
	}
	values := map[string]any{
		"PublicURL": strconv.Quote(a.PublicURL), "SMTPURL": strconv.Quote(a.SMTPURL), "MailFrom": strconv.Quote(a.MailFrom),
		"Proxied": a.Proxy != "none", "Host": public.Host, "Listen": config.Default().Listen,
		"SignUp": strconv.Quote(signUpModes[a.SignUp]),
	}
	files := []struct {
		template, path string
		mode           os.FileMode
	}{{"portico.toml", settings, 0o600}}
	if a.Proxy != "none" {
		files = append(files, struct {
			template, path string
			mode           os.FileMode
		}{a.Proxy, filepath.Join(filepath.Dir(settings), a.snippet()), 0o644})
	}
	for _, f := range files {
		err := create(f.template, f.path, f.mode, values)
		if err != nil {
			return nil, errors.Join(err, withdraw(made))
		}
		made = append(made, f.path)
	}
	return made, nil
}

// create writes a file that is not there yet, or nothing.
func create(name, path string, mode os.FileMode, values map[string]any) error {
	t, err := template.ParseFS(snippets, "snippets/"+name)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := t.Execute(&text, values); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return taken(path)
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

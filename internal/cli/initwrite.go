package cli

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"portico/internal/config"
	"portico/internal/file"
)

//go:embed snippets
var snippets embed.FS

// snippet returns the name of the file for the proxy.
func (a answers) snippet() string { return proxies[a.Proxy] }

// write writes the settings and the file for the proxy. It returns the files that it made.
func (a answers) write(p place) (made []string, err error) {
	public, err := url.Parse(a.PublicURL)
	if err != nil {
		return nil, err
	}
	if public.Scheme == "http" && a.Proxy != "none" {
		return nil, fmt.Errorf("%w: %s is an address of this machine, which browsers reach without a proxy: give --proxy none", errUsage, a.PublicURL)
	}
	port := cmp.Or(public.Port(), "443")
	listen := config.Default().Listen
	if public.Scheme == "http" { // browsers of this machine ask Portico itself
		host := "127.0.0.1"
		if strings.Contains(public.Hostname(), ":") {
			host = public.Hostname()
		}
		listen = net.JoinHostPort(host, cmp.Or(public.Port(), "80"))
	}
	values := map[string]any{
		"PublicURL": strconv.Quote(a.PublicURL), "SMTPURL": strconv.Quote(a.SMTPURL), "MailFrom": strconv.Quote(a.MailFrom),
		"Proxied": a.Proxy != "none", "Host": strings.TrimSuffix(public.Host, ":"+port), "Port": port, "Listen": listen, "Usual": config.Default().Listen, "Data": p.data,
		"WholeDomain": config.WholeDomain(public.Hostname()), "SignUp": strconv.Quote(signUpModes[a.SignUp]),
	}
	if a.Proxy != "none" {
		path := filepath.Join(filepath.Dir(p.settings), a.snippet())
		text, err := render(a.Proxy, values)
		if err == nil {
			err = create(path, text, 0o644)
		}
		if err != nil {
			return nil, err
		}
		made = append(made, path)
	}
	text, err := render("portico.toml", values)
	switch {
	case err != nil:
	case p.filled:
		err = file.Replace(p.settings, merged(p.before, text))
	default:
		err = create(p.settings, text, 0o600)
	}
	if err != nil {
		p.filled = false // its text has stayed
		return nil, errors.Join(err, p.withdraw(made))
	}
	if !p.filled {
		made = append(made, p.settings)
	}
	return made, nil
}

// render returns the text of a file for the answers.
func render(name string, values map[string]any) (string, error) {
	t, err := template.ParseFS(snippets, "snippets/"+name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, values)
	return text.String(), err
}

// create writes a new file. It never replaces one.
func create(path, text string, mode os.FileMode) error {
	err := file.Write(path, text, mode)
	if errors.Is(err, fs.ErrExist) {
		return taken(path)
	}
	return err
}

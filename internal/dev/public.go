package dev

import (
	"net/url"
	"os"
	"strings"

	"portico/internal/config"
	"portico/internal/file"
)

// publicSuffix ends the name of the file next to a SQLite database that holds the public
// URL of the last trial with it.
const publicSuffix = ".public-url"

// keepPublicURL stores the public URL of the trial for commands. It depends on the port that was
// free, so no settings have it.
func keepPublicURL(cfg config.Config) error {
	path, ok := strings.CutPrefix(cfg.DatabaseURL, "sqlite:")
	if !ok {
		return nil
	}
	return os.WriteFile(path+publicSuffix, []byte(cfg.PublicURL.String()), 0o600)
}

// PublicURL returns the public URL of the last trial with a database, nil if there was none.
// Without it, the emails of a command would have links that the server does not send.
func PublicURL(databaseURL string) *url.URL {
	path, ok := strings.CutPrefix(databaseURL, "sqlite:")
	if !ok {
		return nil
	}
	text, err := file.Read(path+publicSuffix, 4<<10)
	if err != nil {
		return nil
	}
	public, err := url.Parse(string(text))
	if err != nil {
		return nil
	}
	return public
}

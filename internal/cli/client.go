package cli

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"portico/internal/config"
	"portico/internal/origin"
	"portico/internal/secret"
)

type clientCmd struct {
	List   clientListCmd   `cmd:"" help:"List the OpenID clients of the settings."`
	Add    clientAddCmd    `cmd:"" help:"Print the settings of a new OpenID client, its secret, and what to enter in the app."`
	Secret clientSecretCmd `cmd:"" name:"new-secret" help:"Print a secret for an OpenID client, and its hash."`
}

type clientListCmd struct {
	JSON bool `name:"json" help:"Print as JSON."`
}

// clientRow is a client as 'portico client list' prints it, without its secret.
type clientRow struct {
	ID           string   `json:"id"`
	Proof        string   `json:"proof"`
	RedirectURIs []string `json:"redirect_uris"`
}

func (clientListCmd) Help() string {
	return "Example:\n  portico client list --json\n\nProof says by what each proves who it is: a secret, two secrets, a key, or public for none."
}

func (c clientListCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	rows, lines := []clientRow{}, []string{}
	for _, client := range cfg.Clients {
		row := clientRow{client.ID, proofOf(client), client.RedirectURIs}
		rows = append(rows, row)
		lines = append(lines, strings.Join([]string{row.ID, row.Proof, strings.Join(row.RedirectURIs, " ")}, "\t"))
	}
	return s.print(c.JSON, rows, lines...)
}

// proofOf returns by what a client proves who it is.
func proofOf(c config.Client) string {
	switch {
	case c.Public:
		return "public"
	case c.Keys != "" || c.KeysURI != "":
		return "key"
	case c.SecretNext != "" || c.NextHash != "":
		return "two secrets"
	}
	return "secret"
}

type clientSecretCmd struct{}

func (clientSecretCmd) Help() string {
	return `Example:
  portico client new-secret

Nothing is written. To change a secret without an interruption, write the hash as secret_next_hash of the client, run 'portico reload', and enter the secret in the app. Then make it secret_hash.`
}

func (clientSecretCmd) Run(s *session) error {
	text := secret.Token()
	return s.print(false, nil, "secret  "+text, "hash    "+hex.EncodeToString(secret.Hash(text)))
}

type clientAddCmd struct {
	URL    string `arg:"" name:"url" help:"The address of the app, such as https://feeds.example.com."`
	Preset string `name:"preset" required:"" placeholder:"APP" help:"The app: ${presets}."`
	ID     string `name:"id" help:"The client_id. Default: the name of the app."`
}

func (clientAddCmd) Help() string {
	return "Example:\n  portico client add --preset miniflux https://feeds.example.com\n\nNothing is written: add the block to portico.toml and run 'portico reload'. The secret is printed once."
}

func (c clientAddCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	preset, ok := clientPresets()[c.Preset]
	if !ok {
		return fmt.Errorf("%w: there is no preset %s: write one of %s", errUsage, c.Preset, presetNames())
	}
	u, err := url.Parse(c.URL)
	if err != nil || origin.Check(origin.Of(u)) != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%w: %s is not the address of an app: write it as https://app.example.com", errUsage, c.URL)
	}
	id := c.ID
	if id == "" {
		id = c.Preset
	}
	for _, client := range cfg.Clients {
		if client.ID == id {
			return fmt.Errorf("%w: there is a client %s already: give another --id", errUsage, id)
		}
	}
	return s.print(false, nil, preset.lines(id, strings.TrimSuffix(c.URL, "/"), cfg.PublicURL)...)
}

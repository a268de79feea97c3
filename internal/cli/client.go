package cli

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"portico/internal/config"
	"portico/internal/legible"
	"portico/internal/origin"
)

type clientCmd struct {
	List   clientListCmd   `cmd:"" help:"List the OpenID clients: those in the settings and the registered ones."`
	Show   clientShowCmd   `cmd:"" help:"Show an OpenID client and how many users it has."`
	Add    clientAddCmd    `cmd:"" help:"Print the settings of a new OpenID client, its secret, and what to enter in the app."`
	Create clientCreateCmd `cmd:"" help:"Print the settings of a new OpenID client for any app, and its secret."`
	Rotate clientRotateCmd `cmd:"" name:"rotate-secret" help:"Print the next secret of an OpenID client, and the steps to change to it."`
	Token  clientTokenCmd  `cmd:"" help:"Manage the tokens with which apps may register themselves."`
	Secret clientSecretCmd `cmd:"" name:"new-secret" help:"Print a secret for an OpenID client, and its hash."`
	Delete clientDeleteCmd `cmd:"" help:"End all tokens and consents of an OpenID client that is not in the settings."`
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

func (r clientRow) String() string {
	return strings.Join([]string{r.ID, r.Proof, strings.Join(r.RedirectURIs, " ")}, "\t")
}

func (clientListCmd) Help() string {
	return "Example:\n  portico client list --json\n\nProof is how each client authenticates: a secret, two secrets, a key, or public if it does not."
}

func (c clientListCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	var rows []clientRow
	for _, client := range cfg.Clients {
		rows = append(rows, clientRow{client.ID, proofOf(client), client.RedirectURIs})
	}
	var incomplete error
	if cfg.OpenID.Registration { // otherwise none of them works, and no database is needed
		var registered []clientRow
		if registered, incomplete = s.registered(); incomplete != nil {
			complain(s.Stderr, "portico: these are the clients of the settings. Clients that registered themselves are in the database, which cannot be read:")
		}
		rows = append(rows, registered...)
	}
	return cmp.Or(list(s, c.JSON, rows, func(r clientRow) clientRow { return r }), incomplete)
}

// proofOf returns how a client authenticates.
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
	presets := clientPresets()
	if err := oneOf("preset", c.Preset, slices.Sorted(maps.Keys(presets))); err != nil {
		return err
	}
	c.URL = origin.ASCII(legible.Trim(c.URL))
	u, err := url.Parse(c.URL)
	if err != nil || origin.Check(origin.Of(u)) != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%w: %s is not the address of an app: write it as https://app.example.com", errUsage, c.URL)
	}
	id := c.ID
	if id == "" {
		id = c.Preset
	}
	if _, taken := clientOf(cfg, id); taken {
		return fmt.Errorf("%w: there is already a client %s: give another --id", errUsage, id)
	}
	return s.printClient(presets[c.Preset].lines(id, strings.TrimSuffix(c.URL, "/"), cfg.PublicURL))
}

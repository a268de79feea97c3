package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"portico/internal/app"
	"portico/internal/clientdoc"
	"portico/internal/config"
	"portico/internal/openid"
)

// clientOf returns the client of the settings with an id.
func clientOf(cfg config.Config, id string) (config.Client, bool) {
	i := slices.IndexFunc(cfg.Clients, func(c config.Client) bool { return c.ID == id })
	if i < 0 {
		return config.Client{}, false
	}
	return cfg.Clients[i], true
}

type clientShowCmd struct {
	ID   string `arg:"" help:"The id of the client. For an unknown app, its address."`
	JSON bool   `name:"json" help:"Print as JSON."`
}

func (clientShowCmd) Help() string {
	return "Example:\n  portico client show wiki\n\nUsers are the accounts that have agreed to the client or have an active sign-in there. The command does not show secrets."
}

// clientDetail is a client in the output, without its secrets.
type clientDetail struct {
	ID        string   `json:"id"`
	Settings  bool     `json:"in_settings"`
	Name      string   `json:"name,omitempty"`
	Proof     string   `json:"proof,omitempty"`
	Redirects []string `json:"redirect_uris,omitempty"`
	Scopes    []string `json:"scopes,omitempty"`
	Grants    []string `json:"grants,omitempty"`
	Rules     []string `json:"rules,omitempty"`
	Consent   bool     `json:"consent"`
	Logout    string   `json:"backchannel_logout_uri,omitempty"`
	Returns   []string `json:"post_logout_redirect_uris,omitempty"`
	Resources []string `json:"resources,omitempty"`

	Registered bool   `json:"registered"`
	Ends       string `json:"ends_at,omitempty"` // of a registered client, unless it is used

	Users int `json:"users"`
}

func (c clientShowCmd) Run(s *session) error {
	cfg, err := s.settings()
	if err != nil {
		return err
	}
	client, known := clientOf(cfg, c.ID)
	return s.withApp(func(a *app.App) error {
		users, err := a.Operator.ClientUsers(s, c.ID)
		if err != nil {
			return err
		}
		d := clientDetail{ID: c.ID, Settings: known, Users: users}
		if !known {
			d.Name = cmp.Or(clientdoc.HostOf(c.ID), openid.RegisteredHost(c.ID))
			d.Consent = d.Name != "" // users are asked about each app that the operator does not know
			if err := d.fill(s, a); err != nil {
				return err
			}
		}
		if !known && !d.Registered && users == 0 {
			return fmt.Errorf("%w: there is no client %s in the settings, and it has no users", errAbsent, c.ID)
		}
		if known {
			d.Name, d.Proof, d.Redirects, d.Scopes, d.Grants = cmp.Or(client.Name, client.ID), proofOf(client), client.RedirectURIs, client.Scopes, client.Grants
			d.Rules, d.Consent, d.Logout, d.Returns, d.Resources = client.Rules, client.Consent, client.LogoutURI, client.LogoutReturns, client.Resources
		}
		return s.print(c.JSON, d, d.lines()...)
	})
}

func (d clientDetail) lines() []string {
	words := func(list []string) string { return strings.Join(list, " ") }
	place, consent := "not in the settings", ""
	if d.Settings {
		place, consent = "in the settings", "not asked"
	}
	if d.Consent {
		consent = "asked"
	}
	if d.Registered {
		place = "registered itself"
	}
	return filled([][2]string{
		{"id", d.ID}, {"place", place}, {"name", d.Name}, {"proof", d.Proof}, {"redirect_uris", words(d.Redirects)}, {"scopes", words(d.Scopes)}, {"grants", words(d.Grants)},
		{"rules", strings.Join(d.Rules, ", ")}, {"consent", consent}, {"backchannel_logout_uri", d.Logout}, {"post_logout_redirect_uris", words(d.Returns)},
		{"resources", words(d.Resources)}, {"ends", d.Ends}, {"users", strconv.Itoa(d.Users)},
	})
}

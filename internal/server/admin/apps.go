package admin

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/server/form"
)

// Apps is what the place Apps asks the settings.
type Apps interface {
	List(ctx context.Context) ([]AdminListedApp, error)
	// Explain says what an app is to a person. With a URL, it is about this URL.
	Explain(ctx context.Context, id, url string, p flow.Person) (AdminExplained, error)
}

// AdminListedApps has all apps behind Portico and all OpenID clients.
type AdminListedApps struct {
	Apps []AdminListedApp `json:"apps"`
}

// AdminListedApp is an app of the settings, or a client that has registered itself.
type AdminListedApp struct {
	ID        string      `json:"id"`
	Kind      string      `json:"kind" enum:"app client registered"`
	Name      string      `json:"name"`
	Addresses []string    `json:"addresses"` // of the app, or those that a client returns to
	Rules     []string    `json:"rules"`
	Claims    []string    `json:"claims"` // the setting extra_claims
	Source    string      `json:"source"` // where the settings are, "" if it is not in them
	Block     string      `json:"block"`  // its settings, or settings like it, to be pasted
	CreatedAt form.Moment `json:"created_at" empty:"true"`
	EndsAt    form.Moment `json:"ends_at" empty:"true"` // of a registered client, unless it is used before
}

// AdminExplained says whether a person may open an app, and what the app learns.
type AdminExplained struct {
	Allowed bool     `json:"allowed"` // once the person has given every proof that the account has
	Words   []string `json:"words"`
	Claims  string   `json:"claims"` // a JSON object
}

func (a *Admin) apps(r *http.Request, _ flow.Actor) (AdminListedApps, error) {
	all, err := a.Apps.List(r.Context())
	return AdminListedApps{all}, err
}

func (a *Admin) explain(r *http.Request, _ flow.Actor) (AdminExplained, error) {
	values, err := parameters(r.URL.Query(), explainOf)
	if err != nil {
		return AdminExplained{}, err
	}
	if values["person"] == "" {
		return AdminExplained{}, wrongParameter("person")
	}
	id, err := a.accountOf(r, "person", values["person"])
	if err != nil {
		return AdminExplained{}, err
	}
	p, err := a.Operator.Person(r.Context(), id)
	if err != nil {
		return AdminExplained{}, err
	}
	return a.Apps.Explain(r.Context(), r.PathValue("id"), values["url"], p)
}

// explainOf are the names of the parameters of explain.
var explainOf = []string{"person", "url"}

func (a *Admin) deleteClient(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	there, err := a.Operator.DeleteRegistered(r.Context(), by, id)
	if err == nil && !there {
		err = flow.NoApp
	}
	return none{}, err
}

package form

import (
	"net/http"
	"time"

	"portico/internal/pages"
	"portico/internal/session"
)

// DownloadData is the form of the button that downloads the account's data.
type DownloadData struct {
	Account string `json:"account"`
}

// AccountData is the downloaded file: the rows of each table that name the
// account. docs/operating/personal-data.md explains it to operators.
type AccountData struct {
	Site    string                      `json:"site"`
	MadeAt  time.Time                   `json:"made_at"`
	Account string                      `json:"account"`
	Tables  map[string][]map[string]any `json:"tables"`
}

// Data returns the file with the data of the signed-in user. If somebody else has
// signed in since the page was shown, it returns AccountChanged.
func (a *Actions) Data(w http.ResponseWriter, r *http.Request, in DownloadData) (AccountData, error) {
	found, err := a.signedInAs(w, r, in.Account)
	if err != nil {
		return AccountData{}, err
	}
	tables, err := a.owner.Data(r.Context(), a.Caller(w, r), found)
	if err != nil {
		return AccountData{}, err
	}
	file := AccountData{
		Site: a.Targets.Self + pages.Root, MadeAt: a.clock.Now().UTC(), Account: found.User.ID, Tables: map[string][]map[string]any{},
	}
	for _, t := range tables {
		file.Tables[t.Table] = append([]map[string]any{}, t.Rows...) // an empty list, not null
	}
	return file, nil
}

// signedInAs returns the session of the user that a page was shown for, or
// AccountChanged for another one.
func (a *Actions) signedInAs(w http.ResponseWriter, r *http.Request, account string) (session.Found, error) {
	found, err := a.Session(w, r)
	if err == nil && found.User.ID != account {
		return session.Found{}, AccountChanged
	}
	return found, err
}

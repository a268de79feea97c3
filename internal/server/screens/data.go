package screens

import (
	"net/http"
	"time"

	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// mountData registers the download of the account's data, and returns its page.
func (s *Screens) mountData(m *server.Mux) section {
	p := section{screen: form.ScreenAccountData, path: pages.Data, guarded: true, closes: true}
	m.Handle("POST "+p.path, s.postData(p))
	return p
}

// postData answers with the file. The page stays in the browser.
func (s *Screens) postData(p section) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := form.Receive[form.DownloadData](r)
		if err != nil {
			return err
		}
		data, err := s.Actions.Data(w, r, in)
		if err != nil {
			return s.refuseOwn(w, r, p, err, nil)
		}
		return server.WriteDownload(w, "account-data-"+data.MadeAt.Format(time.DateOnly)+".json", data)
	}
}

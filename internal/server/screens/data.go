package screens

import (
	"net/http"
	"time"

	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// dataPage is the page that downloads the account's data.
func (s *Screens) dataPage() page {
	return s.ownPage(section{
		screen: ScreenAccountData, path: pages.Data, guarded: true,
		forms: []pageForm{{take: s.postData}},
	})
}

// postData answers with the file. The page stays in the browser.
func (s *Screens) postData(p page) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := form.Receive[form.DownloadData](r)
		if err != nil {
			return err
		}
		data, err := s.Actions.Data(w, r, in)
		if err != nil {
			return p.again(w, r, err, nothing)
		}
		return server.WriteDownload(w, "account-data-"+data.MadeAt.Format(time.DateOnly)+".json", data)
	}
}

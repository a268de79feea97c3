package screens_test

import (
	"net/url"

	"portico/internal/apptest"
	"portico/internal/flow"
)

// raises raises the alarm of the next email.
func raises(s *apptest.Site) error {
	link, err := url.Parse(s.NextMail().Data["alarm_link"])
	if err != nil {
		return err
	}
	_, err = s.Flows.RaiseAlarm(s.Context(), flow.Caller{Locale: "en", Peer: "192.0.2.9/32"}, link.Query().Get("token"))
	return err
}

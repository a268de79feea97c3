package screens

import (
	"errors"
	"net/http"

	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/secret"
	"portico/internal/server"
	"portico/internal/server/form"
)

// maxAlarm exceeds the token for the longest address.
const maxAlarm = 600

// notMe is the page of the links that raise an alarm. Like the page of other mailed
// links, it moves the token into a cookie, and only its button has an effect.
func (s *Screens) notMe(w http.ResponseWriter, r *http.Request) error {
	if token, ok := mailed(r); ok {
		if _, ok := secret.Decode(token); !ok || len(token) > maxAlarm {
			token = "malformed"
		}
		s.Actions.KeepAlarm(w, token)
		return server.SeeOther(w, pages.NotMe)
	}
	return s.showAlarm(w, r, nil, nothing)
}

// showAlarm shows the page, with why its button was refused.
func (s *Screens) showAlarm(w http.ResponseWriter, r *http.Request, refused error, _ func(*Boot)) error {
	token := s.Actions.Alarm(w, r)
	address, err := s.Actions.Flows.ViewAlarm(r.Context(), token)
	fill := func(b *Boot) {
		b.Link = Link{State: "ready", Mark: form.LinkMark(token), Address: address}
		switch {
		case errors.Is(err, flow.AlarmDone):
			b.Link.State = "used"
		case err != nil:
			b.Link.State = "expired"
		}
		if err != nil {
			b.Status = server.Status(fault.From(err))
		}
	}
	switch {
	case err != nil && !errors.Is(err, flow.AlarmOver) && !errors.Is(err, flow.AlarmDone):
		return err
	case refused != nil && err == nil:
		return s.refuse(w, r, ScreenNotMe, refused, fill)
	}
	return s.show(w, r, ScreenNotMe, fill)
}

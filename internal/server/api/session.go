package api

import (
	"net/http"

	"portico/internal/pages"
	"portico/internal/server"
	"portico/internal/server/form"
)

// session returns the signed-in user and the session. Apps call it for each of
// their own requests, so it does little: read the cookie, hash the token, look
// into the cache.
func (a *API) session(w http.ResponseWriter, r *http.Request) error {
	found, err := a.actions.Session(w, r)
	if err != nil {
		return err
	}
	user := User{ID: found.User.ID, Email: found.User.Address, Name: found.User.Name, Roles: orEmpty(found.User.Roles)}
	if id := found.User.Portrait; id != "" {
		user.Picture = a.actions.Targets.Self + pages.Portrait(id)
	}
	return server.WriteJSON(w, http.StatusOK, Current{
		User: user,
		Session: Session{
			ID: found.Session.ID, CreatedAt: form.MomentOf(found.Session.CreatedAt), AuthenticatedAt: form.MomentOf(found.Session.ProvenAt()),
			ExpiresAt: form.MomentOf(found.Ends()), IdleExpiresAt: form.MomentOf(a.sessions.IdleEnd(a.actions.Now())),
			Methods: orEmpty(found.Session.Methods),
		},
	})
}

func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	found, err := a.actions.Session(w, r)
	if err != nil {
		return err
	}
	sessions, err := a.owner.UserSessions(r.Context(), found.User.ID)
	if err != nil {
		return err
	}
	devices, locale := make([]Device, 0, len(sessions)), a.actions.Locale(w, r)
	for _, s := range sessions {
		devices = append(devices, Device{
			ID: s.ID, Current: s.ID == found.Session.ID, Browser: a.describe(s.UserAgent), Place: a.place(s.Peer, locale),
			CreatedAt: form.MomentOf(s.CreatedAt), LastSeenAt: form.MomentOf(s.LastSeenAt),
		})
	}
	return server.WriteJSON(w, http.StatusOK, Sessions{Sessions: devices})
}

func (a *API) end(w http.ResponseWriter, r *http.Request) error {
	found, err := a.actions.Session(w, r)
	if err != nil {
		return err
	}
	if err := a.owner.EndSession(r.Context(), a.actions.Caller(w, r), found, r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) endOthers(w http.ResponseWriter, r *http.Request) error {
	found, err := a.actions.Session(w, r)
	if err != nil {
		return err
	}
	if err := a.owner.EndOtherSessions(r.Context(), a.actions.Caller(w, r), found); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

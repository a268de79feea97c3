package issuer

import (
	"net/http"

	"portico/internal/openid"
	"portico/internal/pages"
	"portico/internal/server"
)

// deviceCodes is the answer to a device that begins (RFC 8628 3.2).
type deviceCodes struct {
	Device    string `json:"device_code"`
	User      string `json:"user_code"`
	Page      string `json:"verification_uri"`
	Complete  string `json:"verification_uri_complete"`
	ExpiresIn int    `json:"expires_in"`
	Interval  int    `json:"interval"`
}

// device lets a device wait until its user has signed in elsewhere.
func (h *Handler) device(w http.ResponseWriter, r *http.Request) error {
	client, values, err := h.client(w, r)
	if err != nil {
		h.shareWithPages(w, r)
		return h.tell(w, err)
	}
	shareWith(w, r, client)
	codes, err := h.OpenID.BeginDevice(r.Context(), h.Actions.Caller(w, r), client, values.Get("scope"), values["resource"])
	if err != nil {
		return h.tell(w, err)
	}
	page := h.issuer + pages.Device
	return server.WriteJSON(w, http.StatusOK, deviceCodes{
		Device: codes.Device, User: codes.User, Page: page, Complete: page + "?user_code=" + codes.User,
		ExpiresIn: int(openid.DeviceLife.Seconds()), Interval: int(openid.DevicePause.Seconds()),
	})
}

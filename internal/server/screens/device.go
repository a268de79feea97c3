package screens

import (
	"net/http"

	"portico/internal/openid"
	"portico/internal/session"
)

// AskCode asks for the code that a device shows. code fills the field. wrong is why the
// code before was refused, or nil.
func (s *Screens) AskCode(w http.ResponseWriter, r *http.Request, found session.Found, code string, wrong error) error {
	fill := func(b *Boot) { b.Session, b.Device = personOf(found), WaitingDevice{Code: code} }
	if wrong != nil {
		return s.refuse(w, r, ScreenDevice, wrong, fill)
	}
	return s.show(w, r, ScreenDevice, fill)
}

// AskDevice asks whether to sign the user in on the device that waits with a code.
func (s *Screens) AskDevice(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, d openid.Device, code string) error {
	return s.show(w, r, ScreenDevice, func(b *Boot) {
		b.Session, b.Device = personOf(found), WaitingDevice{State: "confirm", Code: code}
		b.Client = Client{Name: client.Name, Scopes: s.scopes(b.Locale, d.Asks())}
	})
}

// ShowDevice says what the answer for a device was.
func (s *Screens) ShowDevice(w http.ResponseWriter, r *http.Request, found session.Found, client openid.Client, allowed bool) error {
	return s.show(w, r, ScreenDevice, func(b *Boot) {
		b.Session, b.Client.Name, b.Device.State = personOf(found), client.Name, "denied"
		if allowed {
			b.Device.State = "allowed"
		}
	})
}

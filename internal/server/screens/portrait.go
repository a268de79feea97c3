package screens

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"

	"portico/internal/picture"
	"portico/internal/server"
	"portico/internal/server/form"
)

// maxUpload is the largest body that is read, so that a picture that is too large
// is refused on the page. A browser shows no answer before it has sent all.
const maxUpload = 8 << 20

// maxPartHeader is what is read for the header of a part, which is held in memory.
const maxPartHeader = 16 << 10

// postPortrait takes a form with a file.
func (s *Screens) postPortrait(p page) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		found, err := s.Actions.Session(w, r)
		var leave func()
		if err == nil {
			leave, err = s.Owner.EnterPortrait(found.User.ID)
		}
		if err != nil { // before a picture is held in memory
			server.Discard(w, r)
			return p.again(w, r, err, nothing)
		}
		defer leave()
		in, err := readPortrait(r)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return server.BodySlow.WithCause(err)
		}
		if err != nil {
			return err
		}
		next, err := s.Actions.GivePortrait(w, r, in)
		if err != nil {
			return p.again(w, r, err, nothing)
		}
		return server.SeeOther(w, next)
	}
}

// readPortrait reads the form. It keeps one byte more than a picture may have, so
// that a larger one is refused, and nothing on disk.
func readPortrait(r *http.Request) (in form.GivePortrait, err error) {
	body := &io.LimitedReader{R: r.Body}
	r.Body = io.NopCloser(body) // net/http closes its own
	parts, err := r.MultipartReader()
	if err != nil {
		return in, server.Malformed.WithCause(err)
	}
	for {
		body.N = maxPartHeader
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) && body.N > 0 {
			return in, nil
		}
		if err != nil {
			return in, server.Malformed.WithCause(err)
		}
		body.N = maxUpload
		switch part.FormName() {
		case "account":
			id, err := io.ReadAll(io.LimitReader(part, 64))
			if err != nil {
				return in, server.Malformed.WithCause(err)
			}
			in.Account = string(id)
		case "picture":
			if in.Picture, err = io.ReadAll(io.LimitReader(part, picture.PortraitBytes+1)); err != nil {
				return in, server.Malformed.WithCause(err)
			}
		default:
			return in, server.Malformed
		}
		_ = part.Close() // reads its rest, which is no header
	}
}

// portrait serves a picture to whoever knows its address: the user, and apps that
// the user lets see the profile. It is a JPEG that this server has drawn.
func (s *Screens) portrait(w http.ResponseWriter, r *http.Request) error {
	image, err := s.Owner.Portrait(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "image/jpeg")
	h.Set("Content-Length", strconv.Itoa(len(image)))
	h.Set("Cache-Control", "private, max-age=3600, immutable") // a new picture has a new address
	h.Set("Content-Security-Policy", picture.Policy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin") // pages of apps show it
	if r.Method != http.MethodHead {
		_, _ = w.Write(image) // fails only if the client has gone
	}
	return nil
}

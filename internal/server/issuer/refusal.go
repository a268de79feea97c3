package issuer

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/internal/assertion"
	"portico/internal/openid"
	"portico/internal/server"
)

// explain lets the log and `portico why` say what a request asks for, and what its client has
// registered in place of that. asked is called only if the request is refused.
func (h *Handler) explain(w http.ResponseWriter, r *http.Request, asked func() openid.Asked) {
	server.Explain(w, func(code string, cause error) []slog.Attr {
		x := openid.Refusal{Asked: asked(), At: h.Clock.Now(), Endpoint: r.Pattern, Code: code, RequestID: server.RequestID(r.Context())}
		if cause != nil {
			x.Cause = server.Clip(cause.Error())
		}
		if _, known := h.Clients.Get(x.ClientID); !waits(cause) {
			h.Refusals.Add(x, known)
		}
		attrs := []slog.Attr{group("sent", x.Sent), group("registered", x.Registered)}
		if x.ClientID != "" {
			attrs = append(attrs, slog.String("client_id", x.ClientID))
		}
		return attrs
	})
}

// waits reports whether a device was only told to ask again.
func waits(cause error) bool {
	var e *openid.Error
	return errors.As(cause, &e) && (e.Code == "authorization_pending" || e.Code == "slow_down")
}

// group returns an attribute with a member for each value. The log leaves out a group without members.
func group(name string, values map[string]string) slog.Attr {
	var members []any
	for _, key := range slices.Sorted(maps.Keys(values)) {
		members = append(members, slog.String(key, values[key]))
	}
	return slog.Group(name, members...)
}

// askedBy returns what a request says about its client.
func askedBy(clients openid.Clients, r *http.Request, values url.Values) openid.Asked {
	method, id := methodOf(r, values)
	_, password, _ := basic(r)
	return clients.Swapped(clients.Asked(id, method, values), cmp.Or(password, values.Get("client_secret")))
}

// methodOf returns the method by which the client of a request authenticates, by the names of
// OpenID Connect Core 9, and the id of the client that it names.
func methodOf(r *http.Request, values url.Values) (method, id string) {
	id = values.Get("client_id")
	switch name, _, isBasic := r.BasicAuth(); {
	case isBasic:
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		return "client_secret_basic", cmp.Or(name, id)
	case len(r.Header["Authorization"]) > 0:
		return "another Authorization header", id
	case values.Has("client_secret"):
		return "client_secret_post", id
	case values.Has("client_assertion"):
		named, _ := assertion.Parse(values.Get("client_assertion"))
		return "private_key_jwt", cmp.Or(id, named.ClientID)
	}
	return "none", id
}

// metadataOf returns the members of a registration that are texts or lists of texts, as the
// parameters of a request.
func metadataOf(text []byte) url.Values {
	var members map[string]any
	_ = json.Unmarshal(text, &members) // a text that is not an object has no members
	values := url.Values{}
	for name, member := range members {
		switch member := member.(type) {
		case string:
			values.Set(name, member)
		case []any:
			for _, one := range member {
				if text, is := one.(string); is {
					values.Add(name, strings.TrimSpace(text))
				}
			}
		}
	}
	return values
}

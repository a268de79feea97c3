package openid

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"portico/internal/legible"
	"portico/internal/secret"
)

// Asked is what a request says, and what its client has registered in its place, for the
// operator to compare. It has no secret and no token.
type Asked struct {
	ClientID   string            `json:"client_id"` // "" if the request names none
	Sent       map[string]string `json:"sent,omitempty"`
	Registered map[string]string `json:"registered,omitempty"` // the nearest registered value of what differs
}

// The keys of Asked that are not parameters of a request.
const (
	askedID     = "client_id"
	askedMethod = "method" // by which the client authenticates
)

// shownParameters returns the parameters that the log may have. All others are secrets, such as
// code and id_token_hint, or say nothing about the client, such as state and login_hint.
func shownParameters() []string {
	return []string{
		"redirect_uri", "post_logout_redirect_uri", "response_type", "response_mode", "scope", "grant_type", "code_challenge_method",
		"prompt", "max_age", "acr_values", "resource", "client_assertion_type",
		"redirect_uris", "post_logout_redirect_uris", "token_endpoint_auth_method", "id_token_signed_response_alg", "grant_types", "response_types",
	}
}

// Asked returns what a request says. method is how its client authenticates, "" at an endpoint
// that asks for no proof.
func (c Clients) Asked(id, method string, values map[string][]string) Asked {
	client, known := c.Get(id)
	a := Asked{ClientID: id, Sent: map[string]string{}, Registered: map[string]string{}}
	if !known {
		a.ClientID = c.shown(id)
	}
	if method != "" {
		a.Sent[askedMethod] = method
	}
	for _, name := range shownParameters() {
		if list := values[name]; len(list) > 0 {
			a.Sent[name] = c.shown(strings.Join(list[:min(len(list), maxReturns)], " "))
		}
	}
	switch {
	case known:
		maps.Copy(a.Registered, client.differs(method, values))
	case id != "":
		a.Registered[askedID] = nearest(slices.Sorted(maps.Keys(c.byID)), id)
	}
	maps.DeleteFunc(a.Registered, func(_, value string) bool { return value == "" })
	return a
}

// Swapped returns what a request says whose secret is the id of a client. What it gives as its id
// may be the secret of that client, also a short one or one that is no longer valid.
func (c Clients) Swapped(a Asked, secret string) Asked {
	_, known := c.Get(a.ClientID)
	if _, is := c.Get(secret); is && !known {
		a.ClientID, a.Registered[askedID] = "(not shown: the secret is the id of "+secret+")", secret
	}
	return a
}

// differs returns what the client has registered for each part of a request that is not registered.
func (client Client) differs(method string, values map[string][]string) map[string]string {
	registered := map[string]string{}
	for _, address := range []struct {
		name string
		list []string
		fits func(string) bool
	}{
		{"redirect_uri", client.RedirectURIs, client.returnsTo},
		{"post_logout_redirect_uri", client.LogoutReturns, func(s string) bool { return slices.Contains(client.LogoutReturns, s) }},
		{"resource", client.Resources, func(s string) bool { return slices.Contains(client.Resources, s) }},
	} {
		for _, sent := range values[address.name] {
			if !address.fits(sent) {
				registered[address.name] = cut(nearest(address.list, sent))
			}
		}
	}
	if own := client.method(); method != "" && !strings.Contains(own, method) {
		registered[askedMethod] = own
	}
	if grant := strings.Join(values["grant_type"], ""); grant != "" && !slices.Contains(client.grants(), grant) {
		registered["grant_type"] = strings.Join(client.grants(), " ")
	}
	scopes := client.Scopes
	if slices.Contains(values["grant_type"], "client_credentials") {
		scopes = client.OwnScopes
	}
	for _, scope := range strings.Fields(strings.Join(values["scope"], " ")) {
		if !slices.Contains(scopes, scope) {
			registered["scope"] = cut(strings.Join(scopes, " "))
		}
	}
	return registered
}

// method returns the methods by which the client may authenticate.
func (client Client) method() string {
	switch {
	case client.Public:
		return "none"
	case len(client.secrets) == 0:
		return "private_key_jwt"
	}
	return methodBasic + " or client_secret_post"
}

// grants returns the grants that the client may use, by the names of the token endpoint.
func (client Client) grants() (names []string) {
	if client.Code {
		names = append(names, "authorization_code")
	}
	if client.Code || client.Device {
		names = append(names, "refresh_token")
	}
	if client.Machine {
		names = append(names, "client_credentials")
	}
	if client.Device {
		names = append(names, GrantDevice)
	}
	return names
}

// nearest returns the text that begins and ends most like another one, without the query of that, "" if
// none is like it.
func nearest(list []string, sent string) (best string) {
	most := 0
	sent, _, _ = strings.Cut(sent, "?")
	for _, s := range list {
		n, short := 0, min(len(s), len(sent))
		for n < short && s[n] == sent[n] {
			n++
		}
		for end := 1; n < short && s[len(s)-end] == sent[len(sent)-end]; end++ {
			n++
		}
		if like := 2*n + short - max(len(s), len(sent)); like > most {
			best, most = s, like
		}
	}
	return best
}

// maxShown is the size limit of a value in Asked, in bytes.
const maxShown = 200

// shown returns a value of a request as an operator may read it: of one line, without a query, and
// with marks in place of what may be a secret.
func (c Clients) shown(text string) string {
	hash := secret.Hash(text)
	for _, client := range c.byID {
		if client.has(hash) {
			return "(the secret of " + client.ID + ")"
		}
	}
	words := strings.Fields(legible.Escape(text))
	for i, word := range words {
		words[i] = masked(withoutQuery(word))
	}
	said := cut(strings.Join(words, " "))
	if strings.TrimSpace(text) != text {
		said += " (with a blank at its end)"
	}
	return said
}

// cut limits the length of a value.
func cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "…"
}

// withoutQuery returns an address without its user, its query and its fragment.
func withoutQuery(word string) string {
	if end := strings.IndexAny(word, "?#"); end >= 0 {
		word = word[:end+1] + "…"
	}
	scheme, rest, _ := strings.Cut(word, "://")
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		return scheme + "://…" + rest[at:]
	}
	return word
}

// masked replaces each run of characters that looks random, and is as long as a secret, by its first ones and its length.
func masked(word string) string {
	var b strings.Builder
	for len(word) > 0 {
		end := strings.IndexFunc(word, outsideRun)
		if end < 0 {
			end = len(word)
		}
		if run := word[:end]; end >= minSecret && random(run) {
			b.WriteString(run[:4] + "…(" + strconv.Itoa(end) + " characters)")
		} else {
			b.WriteString(run)
		}
		rest := word[end:]
		next := strings.IndexFunc(rest, func(r rune) bool { return !outsideRun(r) })
		if next < 0 {
			next = len(rest)
		}
		b.WriteString(rest[:next])
		word = rest[next:]
	}
	return b.String()
}

func outsideRun(r rune) bool {
	return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-+=%~", r)
}

// random reports whether a run of characters has two of lower-case letters, capitals and digits, as
// tokens have and words do not.
func random(run string) bool {
	kinds := 0
	for _, is := range []func(rune) bool{unicode.IsLower, unicode.IsUpper, unicode.IsDigit} {
		if strings.ContainsFunc(run, is) {
			kinds++
		}
	}
	return kinds > 1
}

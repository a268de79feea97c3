package cli

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"portico/internal/openid"
	"portico/internal/server/ops"
)

// refusals prints the last refused requests of an OpenID client, which the server of this machine
// remembers.
func (c whyCmd) refusals(s *session) error {
	cfg, err := s.settings()
	if err != nil && (!cfg.Known("ops_listen") || !cfg.Known("secret_file")) {
		return err // as for a reload
	}
	refused := []openid.Refusal{}
	if err := askProven(s, cfg, ops.RefusalsPath+"?"+url.Values{"client": {c.Client}}.Encode(), &refused); err != nil {
		return err
	}
	lines := []string{c.Client + "\tno request was refused since the server began"}
	if _, known := clientOf(cfg, c.Client); !known {
		lines[0] += ". No [[client]] has this id"
	}
	if len(refused) > 0 {
		lines = nil
	}
	for _, x := range refused {
		line := []string{x.At.UTC().Format(timeForm), x.ClientID, x.Endpoint, x.Code, x.Cause, told("sent", x.Sent), told("registered", x.Registered), "request " + x.RequestID}
		if x.Count > 1 {
			line = append(line, fmt.Sprintf("%d times", x.Count))
		}
		lines = append(lines, strings.Join(slices.DeleteFunc(line, func(part string) bool { return part == "" }), "\t"))
	}
	return s.print(c.JSON, refused, lines...)
}

// told returns values of a request in one line, "" without any.
func told(what string, values map[string]string) string {
	if len(values) == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		what += fmt.Sprintf(" %s=%q", name, values[name])
	}
	return what
}

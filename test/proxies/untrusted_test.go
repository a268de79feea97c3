package proxies

import (
	"slices"
	"strings"
	"testing"

	"portico/internal/untrusted"
)

// SEC-207, SEC-222: each header that the gateway removes is removed by each
// documented configuration too. The configurations for nginx, Traefik and Envoy
// know names only, so this sends the known names.
func untrustedHeaders(t *testing.T, p *place) {
	spellings := map[string][]string{} // all names in one spelling
	for _, name := range untrusted.Names(untrusted.All()) {
		for i, s := range spelled(name) {
			key := string(rune('a' + i))
			spellings[key] = append(spellings[key], s)
		}
	}
	for _, names := range spellings {
		for part := range slices.Chunk(names, 20) { // proxies limit the headers of a request
			p.app.requests()
			p.visitor().get("/public/x", append(script, strings.Join(part, ": evil\r\n")+": evil")...)
			seen := p.app.requests()
			if len(seen) != 1 {
				t.Errorf("the app got %d requests with %q", len(seen), part)
			}
			for _, e := range seen {
				for name, values := range e.Header {
					if slices.Contains(values, "evil") {
						t.Errorf("%s reaches the app", name)
					}
				}
			}
		}
	}
}

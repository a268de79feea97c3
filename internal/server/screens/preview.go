package screens

import (
	"fmt"
	"slices"
)

// Preview returns the document of a screen for other data than a request's, and
// its content security policy. The brand is the installation's. Its providers
// replace a single one in the data.
func (s *Screens) Preview(b Boot) (page []byte, policy string, err error) {
	at := slices.Index(Names(), b.Screen)
	if at < 0 || s.documents[b.Locale] == nil {
		return nil, "", fmt.Errorf("there is no screen %q in the locale %q", b.Screen, b.Locale)
	}
	b.Brand = s.Brand
	if len(b.Providers) == 1 && len(s.Providers) > 0 {
		b.Providers = s.Providers
	}
	d := s.documents[b.Locale][at]
	page, err = d.fill(b)
	return page, d.policy, err
}

package screens

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"portico/internal/server"
)

// unbranded is the name in data without a brand of its own.
const unbranded = "Portico"

// Preview returns the document of a screen for other data than a request's, and
// its content security policy. The brand is the installation's, unless the data has one
// of its own. Its providers replace a single one in the data.
func (s *Screens) Preview(b Boot) (page []byte, policy string, err error) {
	at := slices.Index(Names(), b.Screen)
	if at < 0 || s.documents[b.Locale] == nil {
		return nil, "", fmt.Errorf("there is no screen %q in the locale %q", b.Screen, b.Locale)
	}
	if b.Brand == (Brand{Name: unbranded}) {
		b.Brand = s.Brand
	}
	if len(b.Providers) == 1 && len(s.Providers) > 0 {
		b.Providers = s.Providers
	}
	d := s.documents[b.Locale][at]
	page, err = d.fill(b)
	return page, d.policy, err
}

// Components returns the page of all tokens and components in the theme, and its policy. On pages of
// the account, some components look different.
func (s *Screens) Components(ofAccount bool) (page []byte, policy string, err error) {
	text, err := fs.ReadFile(s.Dist, "components.html")
	if err != nil {
		return nil, "", err
	}
	if ofAccount {
		text = bytes.Replace(text, []byte(`class="page"`), []byte(`class="page account"`), 1)
	}
	before, rest, _ := strings.Cut(string(text), "<style>")
	style, after, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	hashes := []string{"sha256-" + base64.StdEncoding.EncodeToString(sum[:])}
	if own := s.Theme.StyleHash(); own != "" {
		hashes = append(hashes, own)
	}
	return []byte(before + "<style>" + style + "</style>" + s.Theme.Values()["head"] + after), server.DocumentPolicy(hashes), nil
}

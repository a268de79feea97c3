package server

import "strings"

// Credentials returns the scheme and the token of an Authorization line. One or more spaces are between them (RFC 9110 11.4).
func Credentials(line string) (scheme, token string) {
	scheme, token, _ = strings.Cut(line, " ")
	return scheme, strings.TrimLeft(token, " ")
}

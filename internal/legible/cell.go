package legible

import "strings"

// Inert puts an apostrophe before what a spreadsheet would run as a formula in a cell of CSV. One that separates by semicolons or tabs
// splits cells at these, also quoted ones: only a quotation mark at the beginning of its own cell counts for it.
func Inert(cell string) string {
	var out strings.Builder
	if strings.IndexAny(cell, "\t\r\n") == 0 {
		out.WriteByte('\'')
	}
	begins := true
	for _, r := range cell {
		if begins && strings.ContainsRune("=+-@＝＋－＠", r) {
			out.WriteByte('\'')
		}
		out.WriteRune(r)
		begins = strings.ContainsRune(";\t\r\n", r) || begins && r == '"'
	}
	return out.String()
}

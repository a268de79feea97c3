package legible

import "strings"

// Inert puts an apostrophe before a cell of CSV that a spreadsheet would run as a formula.
func Inert(cell string) string {
	if strings.IndexAny(cell, "=+-@\t\r\n") == 0 || strings.HasPrefix(cell, "＝") || strings.HasPrefix(cell, "＋") || strings.HasPrefix(cell, "－") || strings.HasPrefix(cell, "＠") {
		return "'" + cell
	}
	return cell
}

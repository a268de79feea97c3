package invitation

import "strings"

// Line is an entry of a list of addresses.
type Line struct {
	Number  int    // of its line, from 1
	Address string // as it was written
}

// MostLines is how many addresses a list may have.
const MostLines = 500

// Lines reads a list that was pasted: an address or a record of CSV on each line, or several
// addresses with commas or semicolons between. Of a record, the field that looks like an address
// counts, as in "Mara Lind" <mara@example.com>. A first line without an address is the head of
// a table, if there are others.
func Lines(text string) (lines []Line) {
	text = strings.TrimPrefix(text, "\ufeff")
	for i, row := range strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n") {
		cells := strings.FieldsFunc(row, func(r rune) bool { return strings.ContainsRune(",;\t", r) })
		found := false
		for _, cell := range cells {
			if strings.Contains(cell, "@") {
				lines, found = append(lines, Line{i + 1, addressIn(cell)}), true
			}
		}
		if row = strings.TrimSpace(row); !found && row != "" {
			lines = append(lines, Line{i + 1, row})
		}
	}
	if len(lines) > 1 && !strings.Contains(lines[0].Address, "@") && strings.Contains(lines[1].Address, "@") && lines[0].Number == 1 {
		lines = lines[1:]
	}
	return lines
}

// addressIn returns the address of a field, which may have a name before it, as in an email.
func addressIn(cell string) string {
	if _, rest, ok := strings.Cut(cell, "<"); ok && strings.Contains(rest, "@") {
		cell, _, _ = strings.Cut(rest, ">")
	}
	return strings.Trim(cell, "\"' ")
}

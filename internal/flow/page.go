package flow

// examined is how many rows a page with a filter looks at. It bounds the time of a page with few matches.
const examined = 2000

// Page is a page of a list, the newest first.
type Page[T any] struct {
	Items   []T
	Next    string // the id after which the next page begins, "" at the end
	Partial bool   // there are fewer items because enough rows were looked at
}

// paged returns the page of up to limit rows that fit. Without fits all rows do. read returns up to a
// number of rows.
func paged[T any](limit int, idOf func(T) string, fits func(T) bool, read func(most int) ([]T, error)) (p Page[T], err error) {
	most := limit + 1 // one row more: there is another page
	if fits != nil {
		most = examined
	}
	rows, err := read(most)
	for n, row := range rows {
		if len(p.Items) == limit {
			p.Next = idOf(rows[n-1])
			return p, err
		}
		if fits == nil || fits(row) {
			p.Items = append(p.Items, row)
		}
	}
	if len(rows) == most {
		p.Next, p.Partial = idOf(rows[most-1]), len(p.Items) < limit
	}
	return p, err
}

package flow

import (
	"slices"
	"strconv"
	"testing"
)

// Pages lead through a whole list, however few rows fit, and none looks at more rows than it may.
func TestPaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows, limit, each int // one row of each fits, all of 0
		pages             int
	}{
		"none": {0, 10, 0, 1}, "one page": {10, 10, 0, 1}, "two": {11, 10, 0, 2},
		"few fit": {2*examined + 1, 10, examined, 3}, "the last row fits": {examined, 1, examined, 2}, "none fits": {examined - 1, 10, examined, 1},
	} {
		fits := func(row int) bool { return (row+1)%c.each == 0 }
		if c.each == 0 {
			fits = nil
		}
		var got, want []int
		for row := range c.rows {
			if fits == nil || fits(row) {
				want = append(want, row)
			}
		}
		pages := 0
		for after := "-1"; after != ""; pages++ {
			page, err := paged(c.limit, strconv.Itoa, fits, func(most int) (rows []int, err error) {
				if most > max(examined, c.limit+1) {
					t.Errorf("%s: a page reads %d rows", name, most)
				}
				from, err := strconv.Atoi(after)
				for row := from + 1; row < c.rows && len(rows) < most; row++ {
					rows = append(rows, row)
				}
				return rows, err
			})
			if err != nil || len(page.Items) > c.limit || page.Partial != (page.Next != "" && len(page.Items) < c.limit) {
				t.Fatalf("%s: %+v, %v", name, page, err)
			}
			got, after = append(got, page.Items...), page.Next
		}
		if !slices.Equal(got, want) || pages != c.pages {
			t.Errorf("%s: %d pages have %v, want %d with %v", name, pages, got, c.pages, want)
		}
	}
}

package zxcvbn

import (
	"strconv"
	"strings"

	"github.com/trustelem/zxcvbn/match"
	"github.com/trustelem/zxcvbn/scoring"
)

// years returns the years of living people, as far as the original knows them.
func years(t text) []*match.Match {
	var found []*match.Match
	for i := 0; i+4 <= len(t.plain); i++ {
		year := t.plain[i : i+4]
		if allDigits(year) && (year[:2] == "19" || year[:3] == "200" || year[:3] == "201") {
			m := t.match("regex", i, i+4)
			m.RegexName = "recent_year"
			found = append(found, m)
			i += 3
		}
	}
	return found
}

// dates returns the days in the text, without those that are part of a longer
// one.
func dates(t text) []*match.Match {
	const shortest, longest = len("1191"), len("11.11.1991")
	var found []*match.Match
	ends := 0 // the furthest end of those so far
	for i := range t.plain {
		for end := min(i+longest, len(t.plain)); end >= i+shortest && end > ends; end-- {
			year, separator, ok := date(t.plain[i:end])
			if !ok {
				continue
			}
			m := t.match("date", i, end)
			m.Year, m.Separator = year, separator
			found = append(found, m)
			ends = end
		}
	}
	return found
}

// date returns the year of a date with two separators or with none.
func date(text string) (year int, separator string, ok bool) {
	if allDigits(text) {
		year, ok = dateOfDigits(text)
		return year, "", ok
	}
	separator = text[strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' }):][:1]
	parts := strings.Split(text, separator)
	if !strings.Contains(" \t\n\v\f\r/\\_.-", separator) || len(parts) != 3 || len(parts[1]) > 2 || len(text) < len("1.1.91") {
		return 0, "", false
	}
	for _, part := range parts {
		if part == "" || len(part) > 4 || !allDigits(part) {
			return 0, "", false
		}
	}
	year, ok = yearOf(parts[0], parts[1], parts[2])
	return year, separator, ok
}

// dateOfDigits cuts the digits into three, and of the dates that this makes
// returns the year nearest to now.
func dateOfDigits(digits string) (year int, ok bool) {
	for _, cut := range cuts(len(digits)) {
		y, is := yearOf(digits[:cut[0]], digits[cut[0]:cut[1]], digits[cut[1]:])
		if is && (!ok || distance(y) < distance(year)) {
			year, ok = y, true
		}
	}
	return year, ok
}

func distance(year int) int { return max(year-scoring.ReferenceYear, scoring.ReferenceYear-year) }

// cuts returns where so many digits may be cut into day, month and year.
func cuts(digits int) [][2]int {
	switch digits {
	case 4:
		return [][2]int{{1, 2}, {2, 3}}
	case 5:
		return [][2]int{{1, 3}, {2, 3}}
	case 6:
		return [][2]int{{1, 2}, {2, 4}, {4, 5}}
	case 7:
		return [][2]int{{1, 3}, {2, 3}, {4, 5}, {4, 6}}
	case 8:
		return [][2]int{{2, 4}, {4, 6}}
	}
	return nil
}

const (
	firstYear = 1000
	lastYear  = 2050
)

// yearOf returns the year of a date that begins or ends with it.
func yearOf(first, second, third string) (year int, ok bool) {
	a, _ := strconv.Atoi(first) // digits, four at most
	b, _ := strconv.Atoi(second)
	c, _ := strconv.Atoi(third)
	if b == 0 || b > 31 {
		return 0, false // the year is not in the middle
	}
	for _, n := range [...]int{a, c} {
		if n > 99 && n < firstYear || n > lastYear {
			return 0, false
		}
	}
	switch {
	case c >= firstYear:
		return c, dayAndMonth(a, b)
	case a >= firstYear:
		return a, dayAndMonth(b, c)
	case a == 0 && c == 0 || a > 31 && c > 31:
		return 0, false
	case dayAndMonth(a, b):
		return century(c), true
	case dayAndMonth(b, c):
		return century(a), true
	}
	return 0, false
}

func dayAndMonth(a, b int) bool { return min(a, b) <= 12 && max(a, b) <= 31 }

// century tells which century two digits mean.
func century(year int) int {
	if year > 50 {
		return 1900 + year
	}
	return 2000 + year
}

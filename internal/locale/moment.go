package locale

import (
	"strconv"
	"time"
)

// minutesUpTo is the longest time that Wait gives in minutes.
const minutesUpTo = 90 * time.Minute

// Wait returns a duration in words, such as "30 seconds", "2 minutes" or "3
// hours". It rounds up, so that waiting that long is enough, and never returns
// less than a second.
func (c *Catalogue) Wait(loc string, d time.Duration) string {
	key, unit := "common.wait.seconds", time.Second
	switch {
	case d > minutesUpTo:
		key, unit = "common.wait.hours", time.Hour
	case d > 59*time.Second:
		key, unit = "common.wait.minutes", time.Minute
	}
	count := max(1, (d+unit-1)/unit)
	return c.Text(loc, key, map[string]string{"count": strconv.FormatInt(int64(count), 10)})
}

// Moment returns date and time in words, in UTC, because the reader may be
// anywhere.
func (c *Catalogue) Moment(loc string, t time.Time) string {
	return c.date(loc, "common.moment", t.UTC())
}

// Day returns a date in words, in UTC.
func (c *Catalogue) Day(loc string, t time.Time) string {
	return c.date(loc, "common.day", t.UTC())
}

func (c *Catalogue) date(loc, key string, t time.Time) string {
	return c.Text(loc, key, map[string]string{
		"day":   strconv.Itoa(t.Day()),
		"month": c.Text(loc, "common.month."+t.Format("01"), nil),
		"year":  strconv.Itoa(t.Year()),
		"time":  t.Format("15:04"),
	})
}

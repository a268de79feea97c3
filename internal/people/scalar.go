package people

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// boolean is a truth value, which exports write in many ways.
type boolean bool

func (f *boolean) UnmarshalJSON(b []byte) error {
	switch strings.ToLower(strings.Trim(string(b), `"`)) {
	case "true", "t", "1", "yes":
		*f = true
	case "false", "f", "0", "no", "":
	default:
		return errors.New("no truth value")
	}
	return nil
}

// instant is a time in milliseconds, 0 for none. Exports write it as a number of milliseconds,
// in the form of RFC 3339, as PostgreSQL or MongoDB writes it.
type instant int64

func (i *instant) UnmarshalJSON(b []byte) error {
	var dated struct {
		Date json.RawMessage `json:"$date"`
	}
	if json.Unmarshal(b, &dated) == nil && dated.Date != nil {
		b = dated.Date
	}
	s := strings.Trim(string(b), `"`)
	if s == "" {
		return nil
	}
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil {
		i.set(ms)
		return nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(form, s); err == nil {
			i.set(at.UnixMilli())
			return nil
		}
	}
	return errors.New("no time")
}

// set takes a time in milliseconds. The zero time of Go is what programs in Go write for none.
func (i *instant) set(ms int64) {
	if *i = instant(ms); ms == (time.Time{}).UnixMilli() {
		*i = 0
	}
}

// known reports whether the time is between the years 1970 and 9999.
func (i instant) known() bool { return 0 <= i && i < 253402300800000 }

// time returns the time; the zero one if there is none.
func (i instant) time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}

package dev

import (
	"net/http"
	"sync/atomic"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
)

// mostMoved keeps the time within what tokens and databases can write.
const mostMoved = 10 * 365 * 24 * time.Hour

// moved is the clock of this process: the machine's, and what tests have added.
type moved struct{ by atomic.Int64 }

func (m *moved) Now() time.Time { return clock.System{}.Now().Add(m.By()) }

// By returns how far ahead of the machine's clock it is.
func (m *moved) By() time.Duration { return time.Duration(m.by.Load()) }

// toldTime is what tests learn of the time.
type toldTime struct {
	Now     time.Time `json:"now"`
	Forward string    `json:"forward"` // of the machine's clock
}

func (t *tester) clock(http.ResponseWriter, *http.Request) (any, error) {
	return toldTime{t.time.Now(), t.time.By().String()}, nil
}

// forward moves the time for everybody. What happens by itself at a time follows within a minute.
func (t *tester) forward(w http.ResponseWriter, r *http.Request) (any, error) {
	var in struct {
		Forward string `json:"forward"`
	}
	if err := read(r, &in); err != nil {
		return nil, err
	}
	d, ok := config.ParseDuration(in.Forward)
	if !ok || d <= 0 || d > mostMoved-t.time.By() {
		return nil, wrong("forward: write a time such as 20m, 8h or 31d; the clock goes forward only, and ten years at most")
	}
	t.time.by.Add(int64(d))
	return t.clock(w, r)
}

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain plays the roles of command: the rows start the test binary again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && roles()[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(m.Run())
}

// Every row runs, at a size at which its figures mean nothing.
//
// Not parallel: it starts servers.
func TestRows(t *testing.T) {
	tiny := scale{rounds: 2, round: 100 * time.Millisecond, small: 100, large: 300, huge: 300, starts: 1, hands: 2, crowd: 6, pipes: 10, pour: 1 << 20, patience: "20s"}
	profile := filepath.Join(t.TempDir(), "profile")
	engines, err := selectEngines("", os.Getenv(server))
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBench("../../bin/portico", profile, tiny, engines)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	rows := slices.DeleteFunc(allRows(), func(r row) bool { return r.name == "openid peers" }) // it builds programs of others
	for _, r := range rows {
		for _, e := range r.on(b.engines) {
			began := time.Now()
			figures, err := r.run(t.Context(), b, e)
			t.Log(r.name, time.Since(began))
			if err != nil || len(figures) == 0 {
				t.Errorf("%s on %s: %d figures, %v", r.name, e.name(), len(figures), err)
			}
			for _, f := range figures {
				if f.aim != 0 && (f.unit == "ms" || f.unit == "µs") {
					t.Errorf("%s: the aim of %q is a time, which says nothing on another machine", r.name, f.name)
				}
				if strings.Contains(f.name, "CPU") {
					continue // a tick of processor time may be longer than a turn
				}
				ratio := f.unit == "" // a ratio cannot be zero
				if ratio && f.value.low == 0 || !(0 <= f.value.low && f.value.low <= f.value.median && f.value.median <= f.value.high) {
					t.Errorf("%s on %s: %s is %+v", r.name, e.name(), f.name, f.value)
				}
			}
		}
	}
	if info, err := os.Stat(profile + ".1"); err != nil || info.Size() == 0 {
		t.Errorf("there is no profile: %v", err)
	}
}

func TestInterleave(t *testing.T) {
	t.Parallel()
	var order []string
	turn := func(name string, rate float64) side {
		return func(context.Context, int) (reading, error) {
			order = append(order, name)
			return reading{rate: rate}, nil
		}
	}
	all, err := interleave(t.Context(), 2, turn("a", 3), turn("b", 4))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "b", "b", "a", "a", "b"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	if got := ratios(all[0], all[1], rateOf); got != (spread{0.75, 0.75, 0.75}) {
		t.Errorf("the ratio is %+v", got)
	}
	if len(all[0]) != 2 {
		t.Errorf("%d turns count, want 2: the one that warms up does not", len(all[0]))
	}
}

func TestSelectRows(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"":                        slices.DeleteFunc(rowNames(), func(name string) bool { return slices.Contains([]string{"openid-peers", "record", "import"}, name) }),
		"openid-peers":            {"openid-peers"},
		"storm":                   {"storm"},
		"sign-in-page,sign-in":    {"sign-in", "sign-in-page"},
		"storm,nothing-like-it":   nil,
		"storm, sign-in-page":     nil,
		"session-hot,growth,sign": nil,
	} {
		rows, err := selectRows(list)
		var got []string
		for _, r := range rows {
			got = append(got, r.key())
		}
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v %s", list, err, diff)
		}
	}
}

package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   spread
	}{
		{nil, spread{}},
		{[]float64{2}, spread{2, 2, 2}},
		{[]float64{9, 1, 2}, spread{2, 1, 9}},
		{[]float64{4, 1, 2, 9}, spread{3, 1, 9}},
	} {
		if got := spreadOf(c.values); got != c.want {
			t.Errorf("the spread of %v is %+v, want %+v", c.values, got, c.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var times []time.Duration
	for n := range 200 {
		times = append(times, time.Duration(200-n))
	}
	if got := percentile(times, 99); got != 199 {
		t.Errorf("the p99 of 1 to 200 is %d", got)
	}
	if got := percentile(nil, 99); got != 0 {
		t.Errorf("the p99 of nothing is %d", got)
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	ratio := func(v, aim float64) figure {
		return figure{name: "ratio", value: spread{v, v - .1, v + .1}, aim: aim, atLeast: true}
	}
	rows := []row{{name: "session", about: "What is done."}, {name: "page", once: true}}
	results := []result{
		{row: rows[0], engine: "SQLite", figures: []figure{
			ratio(0.71, 0.7), ratio(0.69, 0.7),
			{name: "wait", value: spread{51, 51, 51}, unit: "ms", aim: 50},
			{name: "memory", value: spread{7.25, 7.25, 7.25}, unit: "MiB", aim: 8},
			{name: "much", value: spread{123.4, 123.4, 123.4}, unit: "MiB", aim: 200},
			{name: "told only", value: spread{12, 12, 12}, unit: "µs"},
		}},
		{row: rows[1], engine: "SQLite", took: 99 * time.Second, others: 0.01, err: errors.New("it broke\nhere")},
	}
	b := &bench{scale: full(), binary: "/does/not/exist"}
	text := b.document(t.Context(), rows, results, time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	for _, want := range []string{
		"on 2026-05-04 in",
		"| session | SQLite | ratio |  |  | **0.71** | 0.61 to 0.81 | at least 0.70 | met |",
		"| session | SQLite | ratio |  |  | **0.69** | 0.59 to 0.79 | at least 0.70 | missed |",
		"| session | SQLite | wait |  |  | **51.0 ms** |  | at most 50.0 ms | missed |",
		"| session | SQLite | memory |  |  | **7.2 MiB** |  | at most 8.0 MiB | met |",
		"| session | SQLite | much |  |  | **123 MiB** |  | at most 200 MiB | met |",
		"| session | SQLite | told only |  |  | **12.0 µs** |  |  |  |",
		"| page | SQLite | not measured: it broke here |",
		"- **session**: What is done.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "busy") || strings.Contains(text, "short run") {
		t.Errorf("a quiet, full run is called something else:\n%s", text)
	}
	b.scale = short()
	results = append(results, result{row: rows[0], engine: "SQLite", took: time.Second, others: 1}, result{row: rows[0], engine: "PostgreSQL", took: time.Hour, others: 0.5})
	if text := b.document(t.Context(), rows, results, time.Now()); strings.Contains(text, "busy") || !strings.Contains(text, "used 2 %") {
		t.Errorf("two per cent of a disturbance:\n%s", text)
	}
	results[1].others = 0.2
	text = b.document(t.Context(), rows, results, time.Now())
	if !strings.Contains(text, "busy") || !strings.Contains(text, "short run") {
		t.Errorf("a disturbed, short run is not called so:\n%s", text)
	}
}

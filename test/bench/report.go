package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// progress reports on standard error.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// result is the result of a row on an engine.
type result struct {
	row     row
	engine  string
	figures []figure
	err     error
	took    time.Duration
	others  float64 // the share of the machine that other programs used
}

// report runs the rows, prints the table, and writes it to the file unless the
// name is empty. A row that could not be measured is an error at the end.
func (b *bench) report(ctx context.Context, rows []row, file string) error {
	began := time.Now()
	var results []result
	for _, r := range rows {
		for _, e := range r.on(b.engines) {
			results = append(results, b.measure(ctx, r, e))
		}
	}
	text := b.document(ctx, rows, results, began)
	fmt.Print(text)
	var errs []error
	for _, r := range results {
		if r.err != nil {
			errs = append(errs, fmt.Errorf("%s on %s: %w", r.row.name, r.engine, r.err))
		}
	}
	if file != "" && ctx.Err() == nil {
		errs = append(errs, os.WriteFile(file, []byte(text), 0o644))
	}
	return errors.Join(errs...)
}

func (b *bench) measure(ctx context.Context, r row, e engine) result {
	began, others := time.Now(), watchOthers()
	figures, err := r.run(ctx, b, e)
	done := result{row: r, engine: e.name(), figures: figures, err: err, took: time.Since(began), others: others.share()}
	progress("%s on %s: %.0f s, others used %.0f %% of the machine", r.name, e.name(), done.took.Seconds(), 100*done.others)
	return done
}

// disturbance returns the share of the machine that other programs used while
// rows ran on SQLite, and whether any did. On PostgreSQL the database server
// would count as another program.
func disturbance(results []result) (share float64, known bool) {
	var others, whole float64
	for _, r := range results {
		if r.engine == (sqliteEngine{}).name() {
			others += r.others * r.took.Seconds()
			whole += r.took.Seconds()
		}
	}
	return others / whole, whole > 0
}

// quiet is the share of the machine that others may use in a run whose figures
// count.
const quiet = 0.05

func (b *bench) document(ctx context.Context, rows []row, results []result, began time.Time) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# Portico against its limits\n")
	line("Made by `make bench` on %s in %.0f minutes; see [what the table means](../../docs/testing.md#performance).\n",
		began.UTC().Format("2006-01-02"), time.Since(began).Minutes())
	line("%s", b.machine())
	for _, e := range b.engines {
		line("- Database: %s", e.about(ctx))
	}
	others, known := disturbance(results)
	if known {
		line("- Other programs used %.0f %% of the machine while the rows on SQLite ran.", 100*others)
	}
	line("")
	if known && others > quiet {
		line("**The machine was busy: these figures are noisy and not the ones to quote.**\n")
	}
	if b.scale != full() {
		line("**A short run on little data (`-quick`): it shows that the command works and nothing else.**\n")
	}
	line("| Row | Database | What | Product | Limit | Measured | Spread | Aim | |\n|---|---|---|---|---|---|---|---|---|")
	for _, r := range results {
		for _, f := range r.figures {
			line("| %s | %s | %s | %s | %s | **%s** | %s | %s |", r.row.name, r.engine, f.name, f.product, f.limit, f.number(f.value.median), f.spread(), f.verdict())
		}
		if r.err != nil {
			line("| %s | %s | not measured: %s | | | | | | |", r.row.name, r.engine, strings.ReplaceAll(r.err.Error(), "\n", " "))
		}
	}
	line("")
	for _, r := range rows {
		line("- **%s**: %s", r.name, r.about)
	}
	return out.String()
}

// spread returns the range of the rounds.
func (f figure) spread() string {
	if f.value.low == f.value.high {
		return ""
	}
	return f.number(f.value.low) + " to " + f.number(f.value.high)
}

func (f figure) verdict() string {
	switch {
	case f.aim == 0:
		return " | "
	case f.met():
		return f.aimText() + " | met"
	}
	return f.aimText() + " | missed"
}

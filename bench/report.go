package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// progress says on standard error what is going on.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// result is what came of a row on an engine.
type result struct {
	row     row
	engine  string
	figures []figure
	err     error
	others  float64 // share of the machine that other programs used
}

// report runs the rows, prints the table, and writes it to the file unless the
// name is empty. A row that could not be measured is an error at the end.
func (b *bench) report(ctx context.Context, rows []row, file string) error {
	began, whole := time.Now(), watchOthers()
	var results []result
	for _, r := range rows {
		engines := b.engines
		if r.once {
			engines = engines[:1]
		}
		for _, e := range engines {
			results = append(results, b.measure(ctx, r, e))
		}
	}
	text := b.document(rows, results, began, whole.share())
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
	progress("%s on %s: %.0f s, others used %.0f %% of the machine", r.name, e.name(), time.Since(began).Seconds(), 100*others.share())
	return result{row: r, engine: e.name(), figures: figures, err: err, others: others.share()}
}

// quiet is the share of the machine that others may use in a run whose
// figures count.
const quiet = 0.05

func (b *bench) document(rows []row, results []result, began time.Time, others float64) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# Portico against its limits\n")
	line("Made by `make bench` on %s in %.0f minutes; see [what the table means](../docs/operating/performance.md).\n",
		began.UTC().Format("2006-01-02"), time.Since(began).Minutes())
	line("%s", b.machine())
	line("- Other programs used %.0f %% of the machine.\n", 100*others)
	if others > quiet {
		line("**The machine was busy: these figures are noisy and not the ones to quote.**\n")
	}
	if b.scale != full() {
		line("**A short run on little data (`-quick`): it shows that the command works and nothing else.**\n")
	}
	line("| Row | Database | What | Product | Limit | Measured | Spread | Aim | |\n|---|---|---|---|---|---|---|---|---|")
	for _, r := range results {
		for _, f := range r.figures {
			line("| %s | %s | %s | %s | %s | **%s** | %s | %s |", r.row.name, r.database(), f.name, f.product, f.limit, f.number(f.value.median), f.spread(), f.verdict())
		}
		if r.err != nil {
			line("| %s | %s | not measured: %s | | | | | | |", r.row.name, r.database(), strings.ReplaceAll(r.err.Error(), "\n", " "))
		}
	}
	line("")
	for _, r := range rows {
		line("- **%s**: %s", r.name, r.about)
	}
	return out.String()
}

func (r result) database() string {
	if r.row.once {
		return "any"
	}
	return r.engine
}

// spread is how far the rounds are apart.
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

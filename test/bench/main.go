package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// server names the environment variable with the URL of a PostgreSQL server
// whose user may create databases. tools/postgres sets it.
const server = "PORTICO_TEST_POSTGRES"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command plays a role if the first argument names one. Otherwise it runs the
// rows.
func command(ctx context.Context, args []string) error {
	if len(args) > 0 {
		if play, ok := roles()[args[0]]; ok {
			return play(ctx, args[1:])
		}
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	only := flags.String("row", "", "run only these rows, separated by commas: "+strings.Join(rowNames(), ", "))
	database := flags.String("database", "", "measure only on sqlite or on postgres; without it on both, as far as "+server+" says where a PostgreSQL server is")
	quick := flags.Bool("quick", false, "run short rounds on little data: to try the code, not for figures")
	out := flags.String("out", "", "write the table to this file; a whole run writes test/bench/RESULTS.md")
	binary := flags.String("binary", "bin/portico", "the Portico that is measured")
	profile := flags.String("profile", "", "write CPU profiles of the product to files that begin with this path, one for each of its lives; it then runs inside this program")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rows, err := selectRows(*only)
	if err != nil {
		return err
	}
	if *out == "" && *only == "" && *database == "" && !*quick && *profile == "" {
		*out = filepath.Join("test", "bench", "RESULTS.md")
	}
	scale := full()
	if *quick {
		scale = short()
	}
	engines, err := selectEngines(*database, os.Getenv(server))
	if err != nil {
		return err
	}
	b, err := newBench(*binary, *profile, scale, engines)
	if err != nil {
		return err
	}
	defer b.close()
	return b.report(ctx, rows, *out)
}

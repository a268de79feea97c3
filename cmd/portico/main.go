// Command portico serves sign-in, registration and account recovery for web
// apps. 'portico --help' lists its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"portico/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, cli.Process{
		Program: os.Args[0], Args: os.Args[1:], Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Settings: "/etc/portico/portico.toml", Documents: cli.Documents(),
	})
	stop()
	os.Exit(code)
}

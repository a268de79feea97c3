package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/pprof"

	"portico/internal/app"
	"portico/internal/config"
)

// portico runs the product inside this program, with a CPU profile of the whole
// run. It is for reading profiles and for the tests of this command. Figures
// come from the real binary.
func portico(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return errors.New("name the file of the profile")
	}
	cfg, err := config.Load(config.Find("", os.Environ(), ""), os.Environ())
	if err != nil {
		return err
	}
	a, err := app.New(ctx, cfg, app.Options{Log: slog.New(slog.NewJSONHandler(os.Stderr, nil))})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	listeners, err := a.Listen(ctx)
	if err != nil {
		return err
	}
	profile, err := os.Create(args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profile.Close()) }()
	if err := pprof.StartCPUProfile(profile); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return a.Run(ctx, listeners)
}

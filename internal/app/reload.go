package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"portico/internal/config"
	"portico/internal/server/ops"
	"portico/internal/systemd"
)

var (
	errNoReload    = errors.New("this process cannot reload its settings: start it again")
	errNotServing  = errors.New("the server is starting or stopping")
	statusServing  = "serving"
	statusReloaded = "serving with the settings of the last reload"
	statusRefused  = "serving; the last reload was refused: "
)

// Reload reads the settings and checks all of them. Then it replaces everything
// that depends on them at once. An error changes nothing. It goes on when the client that
// asked for it has left.
//
// Requests and WebSockets continue with what they began with, as long as the new rules
// allow them. Sessions, caches, counters and connections to unchanged apps stay.
func (a *App) Reload(ctx context.Context) ops.Reloaded {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	systemd.Reloading()
	result, err := a.reload(context.WithoutCancel(ctx))
	if err == nil {
		a.log.Info("reloaded", "changed", strings.Join(result.Changed, ", "),
			"added", strings.Join(result.Added, ", "), "removed", strings.Join(result.Removed, ", "))
		if len(result.Restart) > 0 {
			a.log.Warn("some settings stay as they were until Portico is started again", "settings", strings.Join(result.Restart, ", "))
		}
		a.Warn()
		systemd.Ready(statusReloaded)
		return result
	}
	result = ops.Reloaded{Added: []string{}, Removed: []string{}, Changed: []string{}, Restart: []string{}, Warnings: []string{}, Problems: strings.Split(err.Error(), "\n")}
	a.log.Error("reload refused: nothing has changed", "problems", result.Problems)
	systemd.Ready(statusRefused + result.Problems[0])
	return result
}

func (a *App) reload(ctx context.Context) (result ops.Reloaded, err error) {
	now := a.live.Load()
	switch {
	case a.options.Load == nil:
		return result, errNoReload
	case now.handler == nil || a.ended:
		return result, errNotServing
	}
	read, err := a.options.Load()
	if err != nil {
		return result, err
	}
	renewal, err := now.config.Renew(read)
	if err != nil {
		return result, err
	}
	made, err := prepare(renewal.Config, a.clock, a.options)
	if err := errors.Join(err, renewal.Config.CheckServe()); err != nil {
		return result, err
	}
	if undo := a.Keys.Extend(algorithms(renewal.Config)); undo != nil {
		defer func() {
			if err != nil {
				undo()
			}
		}()
		if err := a.Operator.FollowKeys(ctx); err != nil {
			return result, err
		}
	}
	replaceKey, err := a.renewKey(ctx, renewal.Config)
	if err != nil {
		return result, err
	}
	if err := a.replace(ctx, now, made); err != nil {
		return result, err
	}
	if err := replaceKey(ctx); err != nil {
		a.report("say which master keys this process has", err)
	}
	changed := otherFiles(now, a.live.Load(), renewal.Changed)
	if !slices.Contains(changed, "texts") && !now.catalogue.Same(a.live.Load().catalogue) {
		changed = append(changed, "texts") // in files that the settings do not name
	}
	return ops.Reloaded{
		Added: renewal.Added, Removed: renewal.Removed, Changed: changed,
		Restart: renewal.Restart, Warnings: asText(Warnings(renewal.Config)),
	}, nil
}

func asText(problems config.Problems) []string {
	all := []string{}
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

// replace builds what the parts make, and puts it in the place of now.
func (a *App) replace(ctx context.Context, now *live, made *parts) (err error) {
	next, err := a.build(made, now)
	if err != nil {
		return err
	}
	if next.handlers, err = a.public(next, now.handlers); err != nil {
		return err
	}
	next.screens.Warm(ctx) // before it serves: until then the old screens answer
	a.install(next)
	a.node.Use(next.config.Shared())
	now.close(next)
	return nil
}

// install makes a live the one that serves.
func (a *App) install(next *live) {
	next.replaced, next.retire = context.WithCancel(a.serving)
	if now := a.live.Swap(next); now.retire != nil {
		now.retire()
	}
}

// watch runs the watch over open requests, always of the gateway that serves.
func (a *App) watch(ctx context.Context) {
	for ctx.Err() == nil {
		l := a.live.Load()
		l.gateway.Watch(l.replaced)
	}
}

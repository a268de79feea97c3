package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"portico/internal/cluster"
	"portico/internal/store"
)

// startComparing logs which settings differ between this node and another. It only
// logs, because operators change settings on one node after the other.
func (a *App) startComparing(ctx context.Context, work *sync.WaitGroup) {
	var told []string
	// Register at once, so that 'portico doctor' sees a node from its start.
	a.report("register this node", a.Store.Write(ctx, func(tx *store.Tx) error { return a.node.Look(ctx, tx) }))
	a.repeat(ctx, work, cluster.NodeBeat, "compare the settings of the nodes", func(ctx context.Context) error {
		err := a.lookAround(ctx)
		if differ := a.node.Differ(); err == nil && !slices.Equal(differ, told) {
			told = differ
			a.tellDifferent(differ)
		}
		return errors.Join(err, a.compareClocks(ctx))
	})
	work.Go(func() {
		<-ctx.Done()
		ctx := context.WithoutCancel(ctx)
		a.report("remove this node from the list of nodes", a.Store.Write(ctx, func(tx *store.Tx) error { return a.node.Leave(ctx, tx) }))
	})
}

func (a *App) tellDifferent(settings []string) {
	if len(settings) == 0 {
		a.log.Info("all nodes have the same settings again")
		return
	}
	a.log.Warn("another node has other settings: give all nodes the same, and start them again", "settings", strings.Join(settings, ", "))
}

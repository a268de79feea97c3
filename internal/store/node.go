package store

import (
	"context"
	"encoding/json"

	"portico/internal/cluster"
)

// Nodes implements cluster.NodeStore.
func (t *Tx) Nodes(ctx context.Context) ([]cluster.NodeRow, error) {
	return collect(ctx, t, `SELECT id, beat, settings FROM node`, nil,
		func(row scanner) (r cluster.NodeRow, err error) {
			var settings string
			if err := row.Scan(&r.ID, &r.Beat, &settings); err != nil {
				return r, err
			}
			return r, json.Unmarshal([]byte(settings), &r.Settings)
		})
}

// SaveNode implements cluster.NodeStore.
func (t *Tx) SaveNode(ctx context.Context, r cluster.NodeRow) error {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, `INSERT INTO node (id, beat, settings) VALUES ($1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET beat = $2, settings = $3`, r.ID, r.Beat, string(settings))
	return err
}

// DeleteNode implements cluster.NodeStore.
func (t *Tx) DeleteNode(ctx context.Context, id string) error {
	_, err := t.exec(ctx, `DELETE FROM node WHERE id = $1`, id)
	return err
}

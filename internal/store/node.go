package store

import (
	"context"
	"encoding/json"
	"errors"

	"portico/internal/cluster"
)

// Nodes implements cluster.NodeStore.
func (t *Tx) Nodes(ctx context.Context) ([]cluster.NodeRow, error) {
	return collect(ctx, t, `SELECT id, beat, settings, keys FROM node`, nil,
		func(row scanner) (r cluster.NodeRow, err error) {
			var settings, keys string
			if err := row.Scan(&r.ID, &r.Beat, &settings, &keys); err != nil {
				return r, err
			}
			return r, errors.Join(json.Unmarshal([]byte(keys), &r.Keys), json.Unmarshal([]byte(settings), &r.Settings))
		})
}

// SaveNode implements cluster.NodeStore.
func (t *Tx) SaveNode(ctx context.Context, r cluster.NodeRow) error {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return err
	}
	keys, err := json.Marshal(r.Keys)
	if err != nil {
		return err
	}
	return t.run(ctx, `INSERT INTO node (id, beat, settings, keys) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET beat = $2, settings = $3, keys = $4`, r.ID, r.Beat, string(settings), string(keys))
}

// DeleteNode implements cluster.NodeStore.
func (t *Tx) DeleteNode(ctx context.Context, id string) error {
	return t.run(ctx, `DELETE FROM node WHERE id = $1`, id)
}

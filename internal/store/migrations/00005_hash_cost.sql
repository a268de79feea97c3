-- +goose Up
-- What a calibration chose for the password hash, so that all nodes and starts keep to it; '' for none.
ALTER TABLE installation ADD COLUMN hash_cost TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE installation DROP COLUMN hash_cost;

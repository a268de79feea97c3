-- +goose Up
-- What an account has the address for. A row that is older than this column is a
-- former primary address: "at" is since when it is not the primary one, 0 for never.
ALTER TABLE other_address ADD COLUMN kind TEXT NOT NULL DEFAULT 'former';
ALTER TABLE other_address ADD COLUMN added_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE other_address DROP COLUMN added_at;
ALTER TABLE other_address DROP COLUMN kind;

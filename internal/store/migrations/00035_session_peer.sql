-- +goose Up
-- The network in which a session began, while places are shown; else empty.
ALTER TABLE session ADD COLUMN peer TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE session DROP COLUMN peer;

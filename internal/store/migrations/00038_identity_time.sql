-- +goose Up
-- 1 if the provider has told when the user signed in, 2 if it has not although it was asked, and
-- 0 if neither has happened yet.
ALTER TABLE identity ADD COLUMN tells_time BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE identity DROP COLUMN tells_time;

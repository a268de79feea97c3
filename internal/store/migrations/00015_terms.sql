-- +goose Up
-- The version of the terms of use that an account has accepted last, and when; '' and 0 for none.
ALTER TABLE account ADD COLUMN terms TEXT NOT NULL DEFAULT '';
ALTER TABLE account ADD COLUMN terms_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN terms_at;
ALTER TABLE account DROP COLUMN terms;

-- +goose Up
-- The language of the emails to an account; '' until its first sign-in after this change.
ALTER TABLE account ADD COLUMN locale TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE account DROP COLUMN locale;

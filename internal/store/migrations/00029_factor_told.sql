-- +goose Up
-- When a sign-in first told the owner that the account needs a second factor.
ALTER TABLE account ADD COLUMN factor_told_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN factor_told_at;

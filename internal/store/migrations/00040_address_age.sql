-- +goose Up
-- Since when the account has its primary address, 0 if it was never changed. And since when it had the address of the newest alarm.
ALTER TABLE account ADD COLUMN address_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN alarm_address_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN alarm_address_at;
ALTER TABLE account DROP COLUMN address_at;

-- +goose Up
-- 1 if the client, which describes itself, wants to know when the session ends.
ALTER TABLE openid_grant ADD COLUMN guest_told BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE openid_grant DROP COLUMN guest_told;

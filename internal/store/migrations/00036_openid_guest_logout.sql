-- +goose Up
-- 1 if the client is a guest that may want to know when the session ends. Its address is read
-- when the message is sent.
ALTER TABLE openid_grant ADD COLUMN may_tell BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE openid_grant DROP COLUMN may_tell;

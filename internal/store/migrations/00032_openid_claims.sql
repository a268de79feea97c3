-- +goose Up
-- The claims that a request has asked for one by one, each with its place (OpenID Connect Core 5.5).
ALTER TABLE openid_grant ADD COLUMN claims TEXT NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE openid_grant DROP COLUMN claims;

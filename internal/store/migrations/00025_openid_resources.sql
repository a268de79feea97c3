-- +goose Up
-- The resource servers that the access tokens of a grant are for (RFC 8707).
ALTER TABLE openid_grant ADD COLUMN resources TEXT NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE openid_grant DROP COLUMN resources;

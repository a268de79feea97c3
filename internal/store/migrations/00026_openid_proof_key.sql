-- +goose Up
-- The thumbprint of the key that the tokens of a grant belong to (DPoP, RFC 9449).
ALTER TABLE openid_grant ADD COLUMN proof_key TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE openid_grant DROP COLUMN proof_key;

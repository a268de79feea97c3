-- +goose Up
-- Devices that wait for their users to sign in elsewhere (RFC 8628). A row is deleted when its tokens are given.
CREATE TABLE openid_device (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- SHA-256 of the code of the device
    user_hash  BYTEA  NOT NULL UNIQUE,      -- keyed hash of the code that the user types
    client_id  TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,
    resources  TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    polled_at  BIGINT NOT NULL,
    grant_id   TEXT   NOT NULL, -- '' until the user has agreed
    denied_at  BIGINT NOT NULL
);
CREATE INDEX openid_device_expiry ON openid_device (expires_at);

-- +goose Down
DROP TABLE openid_device;

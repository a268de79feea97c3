-- +goose Up
-- What OpenID clients have asked for in advance (RFC 9126). A row is deleted when its code is given.
CREATE TABLE openid_request (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- SHA-256 of its name
    client_id  TEXT   NOT NULL,
    query      TEXT   NOT NULL,
    begin_by   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX openid_request_expiry ON openid_request (expires_at);

-- +goose Down
DROP TABLE openid_request;

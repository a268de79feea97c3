-- +goose Up
-- Why sessions that were ended before their time did: their browsers are told once.
CREATE TABLE session_end (
    token_hash BYTEA  NOT NULL PRIMARY KEY,
    reason     TEXT   NOT NULL,
    expires_at BIGINT NOT NULL -- when the session would have ended anyway
);
CREATE INDEX session_end_expiry ON session_end (expires_at);

-- +goose Down
DROP TABLE session_end;

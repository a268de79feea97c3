-- +goose Up
-- The tickets that were presented at an app's own host, so that none is taken twice. Rows stay for minutes.
CREATE TABLE spent_ticket (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX spent_ticket_expiry ON spent_ticket (expires_at);

-- +goose Down
DROP TABLE spent_ticket;

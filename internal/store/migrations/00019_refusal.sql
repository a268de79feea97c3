-- +goose Up
-- The newest refusal of a mailbox by its mail server, which the visitor is told.
CREATE TABLE refusal (
    mailbox    BYTEA  NOT NULL PRIMARY KEY, -- keyed hash of the address
    asked_at   BIGINT NOT NULL, -- when the email was asked for
    refused_at BIGINT NOT NULL
);
CREATE INDEX refusal_refused_at ON refusal (refused_at);

-- +goose Down
DROP TABLE refusal;

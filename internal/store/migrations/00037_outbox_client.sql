-- +goose Up
-- The OpenID client of a message about an ended session, so that one client cannot hold all
-- deliveries; '' for an email.
ALTER TABLE outbox ADD COLUMN client_id TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE outbox DROP COLUMN client_id;

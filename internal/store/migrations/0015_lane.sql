-- +goose Up
-- Which runner sends the message: 0 for an email, 1 for one that somebody waits for, 2 and 3 for messages to OpenID
-- clients about ended sessions. So no kind waits behind very many of another one.
ALTER TABLE outbox ADD COLUMN lane BIGINT NOT NULL DEFAULT 0;
CREATE INDEX outbox_lane ON outbox (lane, due_at) WHERE dead_at = 0;
DROP INDEX outbox_due; -- with both, PostgreSQL may take the one that leads through all other lanes

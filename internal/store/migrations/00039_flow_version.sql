-- +goose Up
-- Raised by each change of how the account is signed in to. It ends the flows that began before: their
-- version is the one of that time. Changes that end sessions raise the credential version, too.
ALTER TABLE account ADD COLUMN flow_version BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN flow_version;

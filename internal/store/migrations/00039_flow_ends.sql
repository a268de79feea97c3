-- +goose Up
-- Raised by each change of how the account is signed in to that ends pending flows and no session. The others
-- raise the credential version. The version of a flow is the sum of both at its beginning, or the credential
-- version alone for a recovery.
ALTER TABLE account ADD COLUMN flow_ends BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN flow_ends;

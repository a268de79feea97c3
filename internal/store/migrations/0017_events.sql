-- +goose Up
-- The events that 'portico webhook retry' sends again, and those that have not ended, by their time: without these
-- indexes, it reads the whole log of a webhook, and nobody knows the oldest of very many that wait.
CREATE INDEX webhook_delivery_dropped ON webhook_delivery (webhook, at, id) WHERE state = 'dropped';
CREATE INDEX webhook_delivery_waits ON webhook_delivery (webhook, at) WHERE ended_at = 0;

-- +goose Up
-- The events that 'portico webhook retry' sends again: without the index, it reads the whole log of a webhook.
CREATE INDEX webhook_delivery_dropped ON webhook_delivery (webhook, at, id) WHERE state = 'dropped';

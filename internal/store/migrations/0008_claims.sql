-- +goose Up
-- The roles of the account that the identity has given, as a list, and when the provider last said
-- so. account.roles has them too; what it has besides them was given by hand.
ALTER TABLE identity ADD COLUMN roles TEXT NOT NULL DEFAULT '[]';
ALTER TABLE identity ADD COLUMN roles_at BIGINT NOT NULL DEFAULT 0;

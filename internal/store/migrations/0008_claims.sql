-- +goose Up
-- The JSON object that an operator or an admin has given the account for apps, '' for none.
ALTER TABLE account ADD COLUMN app_claims TEXT NOT NULL DEFAULT '';

-- The roles of the account that the identity has given, as a list, and when the provider last said
-- so. account.roles has them too; what it has besides them was given by hand.
ALTER TABLE identity ADD COLUMN roles TEXT NOT NULL DEFAULT '[]';
ALTER TABLE identity ADD COLUMN roles_at BIGINT NOT NULL DEFAULT 0;

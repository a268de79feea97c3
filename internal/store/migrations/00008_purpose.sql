-- +goose Up
-- Whether people use the database or `portico dev` has made it, whose people have a password that everybody knows.
ALTER TABLE installation ADD COLUMN purpose TEXT NOT NULL DEFAULT 'real';

-- +goose Down
ALTER TABLE installation DROP COLUMN purpose;

-- +goose Up
-- Which copy of the database was served last, as the engine names it; '' if that is unknown. A
-- database that was restored still has the name of the copy that it comes from.
ALTER TABLE installation ADD COLUMN lineage TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE installation DROP COLUMN lineage;

-- +goose Up
-- The nodes that share the database, and hashes of their settings: few rows, read whole.
CREATE TABLE node (
    id       TEXT   NOT NULL PRIMARY KEY,
    beat     BIGINT NOT NULL, -- goes up while the node is alive
    settings TEXT   NOT NULL  -- JSON: key of a setting -> its keyed hash
);

-- +goose Down
DROP TABLE node;

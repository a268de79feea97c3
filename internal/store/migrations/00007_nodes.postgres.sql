-- +goose Up
-- Who does what only one process may do.
CREATE TABLE lease (
    name  TEXT   NOT NULL PRIMARY KEY,
    owner TEXT   NOT NULL, -- '' when it was given back
    beat  BIGINT NOT NULL  -- goes up while the owner is alive
);

-- Tells a process whether a commit happened whose answer got lost.
CREATE TABLE commit_key (
    id TEXT NOT NULL PRIMARY KEY
);

-- +goose Down
DROP TABLE commit_key;
DROP TABLE lease;

-- +goose Up
-- Master keys that were replaced. Their password hashes are verified until the next sign-in.
CREATE TABLE former_key (
    id         TEXT   NOT NULL PRIMARY KEY, -- the public name of the key, as in password hashes
    pepper     BYTEA  NOT NULL,             -- the key of its password hashes, sealed under the id
    changed_at BIGINT NOT NULL,
    done_at    BIGINT NOT NULL              -- 0: sealed rows of it may be left
);
CREATE INDEX former_key_changed ON former_key (changed_at);

-- JSON: the machine of the node, and the names of the master keys that it has.
ALTER TABLE node ADD COLUMN keys TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE node DROP COLUMN keys;
DROP TABLE former_key;

-- +goose Up
-- At most one row: what 'portico move' is about to do with this database, or has done.
CREATE TABLE move (
    id    BIGINT NOT NULL PRIMARY KEY,
    state TEXT   NOT NULL, -- leaving, gone: of the database that is left; coming: of the one that is filled
    until BIGINT NOT NULL  -- no mail is claimed before this time; 0: it may be
);

-- +goose Down
DROP TABLE move;

-- +goose Up
-- Sessions whose end by age or idleness an OpenID client wants to know, and when to look at them next.
CREATE TABLE openid_watch (
    session_id TEXT   NOT NULL PRIMARY KEY, -- no reference: the row goes when it is looked at
    check_at   BIGINT NOT NULL
);
CREATE INDEX openid_watch_due ON openid_watch (check_at);

-- +goose Down
DROP TABLE openid_watch;

-- +goose Up
-- Senders whose open invitations have ended: those from after one time, up to another. A row stays as long as any of these
-- can.
CREATE TABLE ended_sender (
    invited_by TEXT   NOT NULL, -- as in invitation
    since      BIGINT NOT NULL,
    until      BIGINT NOT NULL, -- when the last one was sent
    PRIMARY KEY (invited_by, until)
);
CREATE INDEX ended_sender_until ON ended_sender (until);
CREATE INDEX invitation_sender ON invitation (invited_by, created_at);

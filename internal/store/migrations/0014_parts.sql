-- +goose Up
-- Parts of the material of a job, such as the lines of a file of people. A step replaces a part by what it has
-- left of it, or deletes it.
CREATE TABLE job_part (
    id       TEXT   NOT NULL PRIMARY KEY, -- the id of the job and a number, in the order of the work
    job_id   TEXT   NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    problems BIGINT NOT NULL, -- how many of its items have one
    sealed   BYTEA  NOT NULL
);
CREATE INDEX job_part_job ON job_part (job_id, id);

"""The tables of a study's file, and what each version of them has added."""

APPLICATION_ID = 0x466D5374  # "FmSt": tells that a file is a study's
STORE_VERSION = 5  # of the tables, in PRAGMA user_version. A file of a later version is refused.

FIRST_TABLES = """
CREATE TABLE study (
    title TEXT NOT NULL,
    created TEXT NOT NULL,
    budget TEXT NOT NULL
);
CREATE TABLE batches (
    batch INTEGER PRIMARY KEY,
    added TEXT NOT NULL,
    runs INTEGER NOT NULL,
    design TEXT NOT NULL,
    version TEXT NOT NULL
);
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    version TEXT NOT NULL,
    "commit" TEXT NOT NULL,
    device TEXT NOT NULL,
    model TEXT NOT NULL,
    driver TEXT NOT NULL,
    description TEXT NOT NULL UNIQUE
);
CREATE TABLE instances (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL UNIQUE,
    n INTEGER NOT NULL,
    problem TEXT NOT NULL,
    optimum INTEGER
);
CREATE TABLE configurations (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    colony TEXT NOT NULL,
    aim TEXT NOT NULL,
    device TEXT NOT NULL,
    parameters TEXT NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    instance INTEGER NOT NULL REFERENCES instances (id),
    configuration INTEGER NOT NULL REFERENCES configurations (id),
    seed INTEGER NOT NULL,
    batch INTEGER NOT NULL REFERENCES batches (batch),
    budget TEXT NOT NULL,
    start_sha256 TEXT,
    state TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'running', 'done', 'failed')),
    error TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL DEFAULT '',
    host INTEGER REFERENCES hosts (id),
    started TEXT,
    parameters TEXT,
    seconds REAL NOT NULL DEFAULT 0,
    iterations INTEGER NOT NULL DEFAULT 0,
    solutions INTEGER NOT NULL DEFAULT 0,
    best INTEGER,
    best_iteration INTEGER,
    gap_percent REAL,
    solution_sha256 TEXT,
    solution BLOB
);
CREATE TABLE points (
    run INTEGER NOT NULL REFERENCES runs (id),
    number INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    seconds REAL NOT NULL,
    solutions INTEGER NOT NULL,
    best INTEGER NOT NULL,
    PRIMARY KEY (run, number)
) WITHOUT ROWID;
"""

PHASES_TABLE = """
CREATE TABLE phases (
    run INTEGER NOT NULL REFERENCES runs (id),
    phase TEXT NOT NULL,
    milliseconds REAL NOT NULL,
    PRIMARY KEY (run, phase)
) WITHOUT ROWID;
"""

COUNTS_TABLE = """
CREATE TABLE counts (
    run INTEGER NOT NULL REFERENCES runs (id),
    what TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (run, what)
) WITHOUT ROWID;
"""

COST_UNITS = """
ALTER TABLE instances ADD COLUMN unit TEXT NOT NULL DEFAULT '';
ALTER TABLE instances ADD COLUMN decimals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE instances ADD COLUMN read_as TEXT NOT NULL DEFAULT '';
"""

ADDED = {2: PHASES_TABLE, 3: COUNTS_TABLE, 5: COST_UNITS}
"""What each version has added; a file of an earlier one gets it when it is written."""

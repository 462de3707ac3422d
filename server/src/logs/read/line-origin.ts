// Whose a line is that looks like one of a server, by what stands before its severity. Pure.

/** What a client of the server or a pooler prints: the error is one of the server, whose own line is another. */
export const OF_CLIENT =
  /^(?:>? ?psql|pg_\w+|createdb|vacuumdb):|\b(?:failed|pq|query|[Ee]rror|Exception|pid \d{1,10}): $|\b[CS]-0x[0-9a-f]+: /;

/** Lines without a prefix whose two spaces became one, which only a server writes. */
export const BARE =
  /^LOG: (?:database system (?:is|was) |checkpoint (?:starting|complete): |autovacuum launcher started|starting PostgreSQL |duration: \d|received \w+ shutdown request)/;

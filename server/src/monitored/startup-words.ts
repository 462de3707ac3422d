// The sentences for what keeps a session from starting on a server that is there. Pure data, as target-words.ts.
import { type FailureMessage, signIn } from './target-words.ts';

/** Sentences for a server that accepts no session now, by its words and their detail where they are English. */
export const CLOSED: readonly (readonly [RegExp, FailureMessage])[] = [
  [
    /in recovery mode/,
    signIn(
      () =>
        'The server is in crash recovery: one of its processes crashed or was killed. Its log names the process and the signal.',
    ),
  ],
  [
    /shutting down/,
    signIn(
      () => 'The server is shutting down. With smart shutdown it waits until all open sessions have ended.',
    ),
  ],
  [
    /Hot standby mode is disabled/,
    signIn(() => 'The server is a standby that accepts no sessions: hot_standby is off.'),
  ],
  [
    /consistent recovery state|not yet accepting/i,
    signIn(
      () =>
        'The server is a standby or is restored from a backup, and has not replayed enough WAL to be consistent. Its log shows how far recovery is.',
    ),
  ],
  [
    /starting up/,
    signIn(
      () =>
        'The server is starting up. After a crash or while a backup is restored this lasts until recovery has ended; its log shows how far recovery is.',
    ),
  ],
];

/** A server has no reason to say this of a session that it was asked for properly. */
export const POOLER_REFUSED: FailureMessage = ({ host, port, database, username }) => ({
  step: 'database',
  message: `What answers on ${host} port ${port} refuses a session of ${username} on the database ${database}, as a connection pooler does that does not know one of them. Enter the address of the server itself, or add both to the pooler.`,
});

/** What PgBouncer says of the server behind it, with the SQLSTATE that it has for everything. */
export const POOLER_WAITS: readonly (readonly [RegExp, FailureMessage])[] = [
  [
    /query_wait_timeout/,
    ({ host, port }) => ({
      step: 'timeout',
      message: `The connection pooler on ${host} port ${port} had no session of the server free in time (query_wait_timeout). Look with "show pools" for what holds them, and at default_pool_size and max_db_connections.`,
    }),
  ],
  [
    /server_login_retry|server login|cannot connect|connect (?:failed|timeout)|server_connect_timeout|server conn crashed|server shutting down/i,
    ({ host, port }) => ({
      step: 'connect',
      message: `A connection pooler answers on ${host} port ${port}, and does not reach the server behind it. Look whether PostgreSQL runs there; the log of the pooler says what failed.`,
    }),
  ],
];

/** While a session starts, functions of its database run, and libraries are loaded that its settings name; by SQLSTATE or its class. */
export const STARTUP_STATES = new Map<string, FailureMessage>([
  [
    '58',
    signIn(
      ({ username, database }) =>
        `The server cannot load a library as a session of ${username} on ${database} starts. Look at session_preload_libraries and local_preload_libraries of the server, the database and the role, and install what they name.`,
    ),
  ],
  [
    '55000',
    signIn(
      ({ database }) =>
        `The database ${database} accepts no sessions: allow_connections is off, or a drop database that was interrupted left it invalid. Look at datallowconn and datconnlimit in pg_database; one with datconnlimit -2 can only be dropped.`,
    ),
  ],
  [
    '0A000',
    signIn(
      ({ database }) =>
        `The server does not convert the encoding of the database ${database}. Enter another database for this connection.`,
    ),
  ],
]);
export const LOGIN_TRIGGER = signIn(
  ({ username, database }) =>
    `A function that runs when sessions start on ${database} failed for ${username}, such as that of a login event trigger. Look for the error in the server's log. Let the function return early for this role.`,
);

/** Whose limit of connections is reached, by the routine of the server that says so; others speak of the server as a whole. */
export const LIMIT_REACHED: ReadonlyMap<string, FailureMessage> = new Map([
  [
    'CheckMyDatabase',
    signIn(
      ({ database }) =>
        `The database ${database} takes no further connection: its own limit is reached. Look at datconnlimit in pg_database, and run: alter database … connection limit … (-1: none).`,
    ),
  ],
  [
    'InitializeSessionUserId',
    signIn(
      ({ username }) =>
        `The role ${username} takes no further connection: its own limit is reached. Run: alter role … connection limit … (at least 4, -1: none).`,
    ),
  ],
]);

/** Looks the role up after pg_hba.conf has let the session in. */
export const NO_SUCH_ROLE = 'InitializeSessionUserId';
export const ROLE_REFUSED = signIn(
  ({ username }) =>
    `The role ${username} does not exist on the server, or is not allowed to log in. Run: create role ${username} login, or alter role ${username} login.`,
);

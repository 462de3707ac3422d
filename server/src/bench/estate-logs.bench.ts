// npm run bench -- estate-logs [servers]: how long the page of all logs takes, with counts of a day by the minute, and events and lines of each server.
// Prints one line for each measure, with what there is to reach.
import process from 'node:process';
import { getEstateLogCounts, listEstateLogEvents } from '../estate/server-logs/estate-logs.service.ts';
import { systemPrincipal } from '../identity/identity.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { print } from './print.ts';

const SERVERS = Number(process.argv[2] ?? 300);
const MS_TO_REACH = 300;
const READS = 20;
const PARTS = 30;
const DAYS = 8;

async function fill(db: Database): Promise<void> {
  const { user_id } = await makeUser(db);
  await db.run(sql`
    insert into matriarch.connections (name, host, port, database_name, username, owner_id, is_shared, created_at, updated_at)
    select 'server ' || n, '127.0.0.1', 5432, 'postgres', 'monitor', ${user_id}::int, true, now(), now()
    from generate_series(1, ${SERVERS}::int) n`);
  await db.run(sql`
    insert into matriarch.log_sources (connection_id, format, looked_at, reading_since)
    select c.id, 'stderr', now(), now() - interval '30 days' from matriarch.connections c`);
  // A statement has a time limit.
  for (let part = 0; part < PARTS; part += 1) {
    await db.run(sql`
    insert into matriarch.log_counts (connection_id, minute, class, sqlstate, severity, database_name, events, kept)
    select c.id, date_trunc('minute', now()) - m * interval '1 minute', k.class, '00000', 'LOG', 'shop', 60, 1
    from matriarch.connections c, generate_series(1, 1440) m,
      unnest(array['slow_statement', 'connection_authorized', 'disconnection', 'temp_file']) as k (class)
    where c.id % ${PARTS} = ${part}`);
    await db.run(sql`
    insert into matriarch.log_events (
      connection_id, occurred_at, class, severity, sqlstate, database_name, user_name, application_name, process_id,
      message, detail, hint, context, statement, figures, is_cut, has_words
    )
    select c.id, now() - m * interval '2 minutes', case when m % 500 = 7 then 'panic' else 'temp_file' end, 'LOG', '00000', 'shop', 'app', 'web', '12',
      'temporary file: path "base/pgsql_tmp/pgsql_tmp' || m || '", size 1', '', '', '', 'select 1', '{}', false, false
    from matriarch.connections c, generate_series(1, 720) m
    where c.id % ${PARTS} = ${part}`);
  }
  // Of the days before, sums as they would be: what is counted by the minute there is not read.
  for (let day = 1; day < DAYS; day += 1)
    await db.run(sql`
    insert into matriarch.log_sums (connection_id, slot_seconds, slot, class, events, kept)
    select s.connection_id, s.slot_seconds, s.slot - ${day}::int * interval '1 day', s.class, s.events, s.kept
    from matriarch.log_sums s
    where s.slot < date_bin('6 hours', now(), 'epoch') and s.slot >= date_bin('6 hours', now(), 'epoch') - interval '1 day'
    on conflict do nothing`);
  await db.run(sql`vacuum analyze`);
}

const principal = systemPrincipal('server');

async function timed(what: string, read: () => Promise<number>): Promise<void> {
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < READS; round += 1) {
    const began = systemClock.monotonic();
    found = await read();
    times.push(systemClock.monotonic() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0);
  print(`${what}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (to reach: ${MS_TO_REACH}), ${found} rows`);
}

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, async (db) => {
    await fill(db);
    const ctx = { db, clock: systemClock, log: silentLog, principal, signal: new AbortController().signal };
    const counts = (query: Parameters<typeof getEstateLogCounts>[1]) => async () =>
      (await getEstateLogCounts(ctx, query)).servers.length;
    const events = (query: Parameters<typeof listEstateLogEvents>[1]) => async () =>
      (await listEstateLogEvents(ctx, query)).events.length;
    await timed('counts of an hour', counts({ time_range: '1h' }));
    await timed('counts of 6 hours', counts({ time_range: '6h' }));
    await timed('counts of a day', counts({ time_range: '24h' }));
    await timed('counts of 7 days', counts({ time_range: '7d' }));
    await timed('events that matter', events({ important: true }));
    await timed('events of a rare class', events({ class: 'panic' }));
    await timed('events by a word', events({ search: 'pgsql_tmp700', important: true }));
    await timed('events of a user that is not there', events({ user_name: 'x' }));
  });
} finally {
  removeRunDirectory(directory);
}

// A real server whose log a collector reads, with lines that are numbered, and what the datastore has of them.
import { onTestFinished } from 'vitest';
import { mergeLines } from '../../collector/logs/line-merges.ts';
import { logsScript } from '../../estate/connections/log-script.ts';
import { listConnectionLogEvents } from '../../estate/estate.ts';
import { systemActor } from '../../identity/identity.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { CONFIG, type Collecting } from '../collecting.ts';
import { pollMoved } from '../collecting-tests.ts';
import { type Major, startCluster, type TestCluster } from '../servers/postgres.ts';
import { KEPT_LINES } from './kept-lines.ts';

export const READING = { config: { ...CONFIG, read_logs: true }, lines: KEPT_LINES };
export const MON = { username: 'mon', password: 'mon' };

export async function loggingServer(settings: object = {}, major: Major = 18): Promise<TestCluster> {
  const server = await startCluster({
    major,
    settings: { logging_collector: true, log_line_prefix: '%m [%p] %e %q%u@%d ', ...settings },
  });
  onTestFinished(() => server.stop());
  await server.query("create role mon login password 'mon'; grant pg_monitor to mon");
  await server.query(logsScript('mon'));
  return server;
}

/** Lines numbered from one to another, as warnings that code raises. */
export async function raise(server: TestCluster, from: number, to: number): Promise<void> {
  await server.query(
    `do $$ begin for n in ${from}..${to} loop raise warning 'ledger % of 7', n using errcode = 'LE001'; end loop; end $$`,
  );
}

export const counted = async ({ db }: Pick<Collecting, 'db'>, id: number, sqlstate: string) => {
  const row = await db.one<{ n: number }>(sql`
    select coalesce(sum(c.events), 0)::int as n from matriarch.log_counts c
    where c.connection_id = ${id} and c.sqlstate = ${sqlstate}`);
  return row.n;
};

/** Numbered lines as the search finds them, page by page; those of a class that is kept as rows among them. */
export async function numbersFound({ db }: Pick<Collecting, 'db'>, id: number): Promise<number[]> {
  const principal = {
    ...systemActor('server'),
    is_superuser: true,
    admin_permissions: ['*' as const],
    scope: undefined,
  };
  const ctx = { db, clock: systemClock, log: silentLog, principal, signal: AbortSignal.timeout(60_000) };
  const found: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listConnectionLogEvents(ctx, id, {
      ...{ time_range: '24h', search: 'ledger', limit: 200 },
      ...(cursor !== undefined && { cursor }),
    });
    for (const { message } of page.events) found.push(Number(/\d+/.exec(message)?.[0]));
    cursor = page.next_cursor;
  }
  return found.sort((a, b) => a - b);
}

/** Has upkeep merge the blocks of lines as if they were some hours old. */
export async function mergeSettled(db: Db): Promise<number> {
  await db.run(sql`update matriarch.log_blocks set stored_at = now() - interval '3 hours'`);
  return mergeLines(db, AbortSignal.timeout(60_000));
}

export const numbersTo = (last: number): number[] => Array.from({ length: last }, (_none, at) => at + 1);

export const gaps = ({ db }: Pick<Collecting, 'db'>, id: number) =>
  db.rows<{ file_name: string; bytes: number; reason: string }>(sql`
    select g.file_name, g.bytes, g.reason from matriarch.log_gaps g where g.connection_id = ${id} order by g.id`);

/** The first look is over: what comes from now on is counted. */
export async function started(house: Collecting, id: number): Promise<void> {
  await pollMoved(house, async () => {
    const row = await house.db.maybe(sql`
      select s.format from matriarch.log_sources s where s.connection_id = ${id} and s.format is not null`);
    return row !== undefined;
  }).toBe(true);
}

/** How reading is doing, as the datastore has it. */
export const sourceOf = ({ db }: Pick<Collecting, 'db'>, id: number) =>
  db.maybe<{ reason: string | null; mend: string | null; read_until: string | null }>(sql`
    select s.reason, s.mend, s.read_until from matriarch.log_sources s where s.connection_id = ${id}`);

/** How much of a file was read. */
export async function positionOf({ db }: Pick<Collecting, 'db'>, id: number, name: string): Promise<number> {
  const row = await db.maybe<{ position: number }>(sql`
    select f.position from matriarch.log_files f where f.connection_id = ${id} and f.file_name = ${name}`);
  return row?.position ?? 0;
}

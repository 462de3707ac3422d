// npm run bench -- log-lines [lines]: what seven days of lines of a log take in the datastore, and how long their search takes until the first page.
// Prints one line for each measure, with what there is to reach.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { LineKeeper } from '../collector/logs/line-keeper.ts';
import { newBlocks } from '../estate/server-logs/line-block.ts';
import { addBlock } from '../estate/server-logs/line-blocks.queries.ts';
import { listConnectionLogEvents } from '../estate/server-logs/log-events.service.ts';
import type { EventRow } from '../estate/server-logs/log-rows.ts';
import { addEvents } from '../estate/server-logs/log-writes.queries.ts';
import { systemPrincipal } from '../identity/identity.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { iso } from '../kernel/times.ts';
import { DAY_MS } from '../kernel/units.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { withBenchDatastore } from './bench-datastore.ts';
import { FORMATS, loggedAt } from './logged-lines.ts';
import { print } from './print.ts';

const LINES = Number(process.argv[2] ?? 10_000_000);
const MS_TO_REACH = 300;
const SHARE_TO_REACH = 0.12;
const CONNECTION = 1;
const READS = 20;
/** Of a MiB of the log. */
const BLOCK_LINES = 5000;
const KEPT_OF_A_BLOCK = 600;

const CLASSES: Readonly<Record<number, string>> = {
  3: 'unique_violation',
  7: 'temp_file',
  11: 'lock_acquired',
  13: 'connection_authorized',
};
/** Kept as rows. */
const IMPORTANT: ReadonlySet<string> = new Set(['temp_file', 'lock_acquired']);

const now = systemClock.now();
const timeAt = (at: number) => now - Math.round(((LINES - at) / LINES) * 7 * DAY_MS);
const masked = (text: string) => text.replace(/= (?:'r?\d+'|\d+)/g, '= [number 1]');

function rowAt(at: number): EventRow {
  const { severity, state, message, statement } = loggedAt(at);
  const isRare = at % 1_000_003 === 500_000;
  return {
    occurred_at: timeAt(at),
    class: CLASSES[at % 20] ?? 'slow_statement',
    severity,
    sqlstate: at % 100_003 === 50_000 ? '40001' : state,
    database_name: 'shop',
    user_name: 'app',
    application_name: 'web',
    process_id: String(4000 + (at % 90)),
    queryid: '',
    message: isRare ? `needle${at} in hay` : masked(message),
    detail: '',
    hint: '',
    context: '',
    statement: masked(statement),
    figures: at % 20 === 13 ? {} : { duration_ms: (at % 9000) + 0.123 },
    relation_name: null,
    is_cut: false,
  };
}

/** Answers the bytes of the log. */
async function fill(db: Database): Promise<number> {
  let raw = 0;
  for (let from = 0; from < LINES; from += BLOCK_LINES) {
    const lines: EventRow[] = [];
    const important: EventRow[] = [];
    for (let at = from; at < Math.min(LINES, from + BLOCK_LINES); at += 1) {
      const row = rowAt(at);
      const isImportant = IMPORTANT.has(row.class) && important.length < KEPT_OF_A_BLOCK;
      (isImportant ? important : lines).push(row);
      for (const line of FORMATS.stderr?.(loggedAt(at), at) ?? []) raw += line.length + 1;
    }
    for (const block of await newBlocks(lines)) await addBlock(db, CONNECTION, block);
    await addEvents(db, CONNECTION, important);
  }
  await db.run(sql`analyze matriarch.log_blocks, matriarch.log_events`);
  return raw;
}

/** What the path of the collector makes of a MiB of the log. */
async function ofCollector(db: Database): Promise<void> {
  const text = Array.from({ length: BLOCK_LINES }, (_none, at) =>
    FORMATS.stderr?.(loggedAt(at), at).join('\n'),
  ).join('\n');
  const bytes = Buffer.from(`${text}\n`);
  const { read } = new LineKeeper({ bytes_per_day: 2 ** 40, keep_literals: false });
  const piece = {
    bytes,
    prefix: '%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ',
    time_zone: 'UTC',
    now: Date.UTC(2026, 10, 2),
  };
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    const { blocks } = await read(db, CONNECTION, { ...piece, scrub: (one) => one });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
    const kept = blocks.reduce((sum, { body, words }) => sum + body.length + words.length, 0);
    if (round === 4)
      print(
        `collector: ${BLOCK_LINES} events of ${bytes.length} bytes, kept ${((kept / bytes.length) * 100).toFixed(1)} % (to reach: ${SHARE_TO_REACH * 100} %), ${Math.min(...times).toFixed(0)} ms of a core, ${(((Math.min(...times) / BLOCK_LINES) * 100) / 10).toFixed(2)} % of a core at 100 lines a second`,
      );
  }
}

const principal = systemPrincipal('server');

interface Search {
  readonly what: string;
  query(round: number): Parameters<typeof listConnectionLogEvents>[2];
}

async function ofSearch(db: Database, { what, query }: Search): Promise<void> {
  const ctx = { db, clock: systemClock, log: silentLog, principal, signal: new AbortController().signal };
  const times: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let found = 0;
  let back = '';
  for (let round = 0; round < READS; round += 1) {
    if (round === 1) delay.enable();
    const began = systemClock.monotonic();
    const window = { start_time: iso(now - 7 * DAY_MS), end_time: iso(now) };
    const page = await listConnectionLogEvents(ctx, CONNECTION, { ...window, ...query(round) });
    times.push(systemClock.monotonic() - began);
    found += page.events.length;
    if (page.searched_back_to !== null) back = `, searched back to ${page.searched_back_to}`;
  }
  delay.disable();
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(0);
  print(
    `  ${what}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (to reach: ${MS_TO_REACH}), event loop held ${(delay.max / 1e6).toFixed(0)} ms, ${(found / READS).toFixed(0)} events a page${back}`,
  );
}

const dayOf = (round: number) => iso(now - (round % 6) * DAY_MS - 1);
const rareAt = (round: number) => 500_000 + 1_000_003 * (round % Math.max(1, Math.floor(LINES / 1_000_003)));
const SEARCHES: readonly Search[] = [
  { what: 'nothing chosen', query: (round) => ({ end_time: dayOf(round) }) },
  { what: 'class, common', query: (round) => ({ class: 'slow_statement', end_time: dayOf(round) }) },
  { what: 'class, kept as rows', query: (round) => ({ class: 'lock_acquired', end_time: dayOf(round) }) },
  { what: 'SQLSTATE, common', query: (round) => ({ sqlstate: '23505', end_time: dayOf(round) }) },
  { what: 'SQLSTATE, rare', query: () => ({ sqlstate: '40001' }) },
  { what: 'word, common', query: (round) => ({ search: 'customers', end_time: dayOf(round) }) },
  { what: 'word, rare', query: (round) => ({ search: `needle${rareAt(round)}` }) },
  { what: 'word, not there', query: (round) => ({ search: `nothing${round}` }) },
  { what: 'beginning of a word, rare', query: () => ({ search: 'needle1* hay' }) },
  { what: 'phrase, rare', query: (round) => ({ search: `"needle${rareAt(round)} in hay"` }) },
  { what: 'word of rows, rare', query: (round) => ({ search: `pgsql_tmp${7 + 20_020 * round}` }) },
  { what: 'beginning, of rows', query: (round) => ({ search: `tmp${7 + 20_020 * round}*` }) },
  { what: 'words of rows, never together', query: () => ({ search: 'temporary acquired' }) },
  { what: 'user, not there', query: (round) => ({ user_name: `nobody${round}` }) },
  { what: 'application, not there', query: (round) => ({ application_name: `nothing${round}` }) },
  { what: 'process, not there', query: (round) => ({ process_id: `9${round}` }) },
  {
    what: 'process and word',
    query: (round) => ({ process_id: '4011', search: 'duplicate', end_time: dayOf(round) }),
  },
  { what: 'two words, never together', query: () => ({ search: 'duplicate authorized' }) },
];

const directory = makeRunDirectory();
try {
  await withBenchDatastore(directory, undefined, async (db) => {
    await ofCollector(db);
    const began = systemClock.monotonic();
    const raw = await fill(db);
    const { lines, rows, blocks } = await db.one<{ lines: number; rows: number; blocks: number }>(sql`
      select
        pg_total_relation_size('matriarch.log_blocks')::float8 as lines,
        pg_total_relation_size('matriarch.log_events')::float8 as rows,
        (select count(*)::int from matriarch.log_blocks) as blocks`);
    const share = (bytes: number) => `${((bytes / raw) * 100).toFixed(1)} %`;
    print(
      `${LINES} events, ${Math.round(raw / 2 ** 20)} MB of the log, filled in ${((systemClock.monotonic() - began) / 1000).toFixed(0)} s`,
    );
    print(
      `  lines: ${blocks} blocks, ${Math.round(lines / 2 ** 20)} MB with indexes, ${share(lines)} of the log (to reach: ${SHARE_TO_REACH * 100} %); rows that matter: ${share(rows)}`,
    );
    for (const search of SEARCHES) await ofSearch(db, search);
  });
} finally {
  removeRunDirectory(directory);
}

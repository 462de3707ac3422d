// How rows of samples could lie before they are packed: bytes a sample, rows a second by COPY, and one series of 24 h,
// for the typed rows we keep and for what was thought of instead (decision 011). Prints figures, judges nothing.
// Run: npm run bench -- layouts [columns]
import process from 'node:process';
import type pg from 'pg';
import { systemClock } from '../kernel/clock.ts';
import { copyAll } from '../kernel/copy.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { identifier, sql } from '../kernel/sql.ts';
import { Bytes } from '../store/format/bytes.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';

const COLUMNS = Number(process.argv[2] ?? 18);
const SERVERS = 50;
const TICKS = 1440;
const BEGIN = Date.parse('2026-01-01T00:00:00Z');
const READS = 15;

interface Layout {
  name: string;
  columns: string;
  settings?: string;
  key: string;
  /** A COPY line for each row. */
  lines(): Iterable<string>;
  /** The second counter of server 7; null: nothing in SQL can read it. */
  read: string | null;
}

const moment = (tick: number) => new Date(BEGIN + tick * 60_000).toISOString();

/** Half of the counters stand still, the others grow by steps of every size. */
function* readings(): Generator<{ server: number; tick: number; values: number[]; steps: number[] }> {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const all = Array.from({ length: SERVERS }, () =>
    Array.from({ length: COLUMNS }, () => Math.floor(random() * 1e10)),
  );
  for (let tick = 0; tick < TICKS; tick += 1)
    for (const [server, values] of all.entries()) {
      const steps = values.map((_value, n) => (n % 2 ? Math.floor(random() ** 3 * 10 ** (2 + (n % 5))) : 0));
      for (const [n, step] of steps.entries()) values[n] = (values[n] ?? 0) + step;
      yield { server, tick, values: [...values], steps };
    }
}

const names = Array.from({ length: COLUMNS }, (_, n) => `c${n}`);

function* rows(of: (values: number[], steps: number[]) => string): Generator<string> {
  for (const { server, tick, values, steps } of readings())
    yield `${server}\t${moment(tick)}\t${of(values, steps)}`;
}

function packed(steps: readonly number[]): string {
  const out = new Bytes();
  for (const step of steps) out.varint(step);
  return `\\\\x${Buffer.from(out.take()).toString('hex')}`;
}

/** An hour of a server as one row: what it would be if a writer held rows back for so long. */
function* hours(): Generator<string> {
  const held = new Map<number, number[][]>();
  for (const { server, tick, steps } of readings()) {
    const own = held.get(server) ?? [];
    held.set(server, own);
    own.push(steps);
    if (own.length < 60) continue;
    const arrays = names.map((_name, n) => `{${own.map((step) => step[n] ?? 0).join(',')}}`);
    yield `${server}\t${moment(tick - 59)}\t${arrays.join('\t')}`;
    held.set(server, []);
  }
}

const KEY = 'connection_id, collected_at';
const LAYOUTS: Layout[] = [
  {
    name: 'typed rows, raw counters (ours)',
    columns: names.map((name) => `${name} bigint`).join(', '),
    key: KEY,
    lines: () => rows((values) => values.join('\t')),
    read: 'select collected_at, c1 - lag(c1) over (order by collected_at) from layout where connection_id = 7',
  },
  {
    name: 'one array of increases a row, compressed',
    columns: 'steps bigint[]',
    settings: 'alter column steps set storage main',
    key: KEY,
    lines: () => rows((_values, steps) => `{${steps.join(',')}}`),
    read: 'select collected_at, steps[2] from layout where connection_id = 7',
  },
  {
    name: 'increases as varints in one bytea a row',
    columns: 'steps bytea',
    key: KEY,
    lines: () => rows((_values, steps) => packed(steps)),
    read: null,
  },
  {
    name: 'an hour a row, an array a column, compressed',
    columns: names.map((name) => `${name} bigint[]`).join(', '),
    settings: names.map((name) => `alter column ${name} set storage main`).join(', '),
    key: KEY,
    lines: hours,
    read: 'select l.collected_at, u.step from layout l, unnest(l.c1) u (step) where l.connection_id = 7',
  },
];

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - began;
}

async function measure(client: pg.ClientBase, layout: Layout): Promise<void> {
  await client.query('drop table if exists layout');
  await client.query(
    `create table layout (connection_id integer not null, collected_at timestamptz not null, ${layout.columns},
     primary key (${layout.key})) with (toast_tuple_target = 256, fillfactor = 100)`,
  );
  if (layout.settings) await client.query(`alter table layout ${layout.settings}`);
  const lines = [...layout.lines()];
  const wrote = await timed(() =>
    copyAll(client, [{ statement: sql`copy ${identifier('layout')} from stdin`, lines }]),
  );
  await client.query('vacuum analyze layout');
  const { rows: found } = await client.query<{ bytes: string }>(
    `select pg_total_relation_size('layout') as bytes`,
  );
  const bytes = Number(found[0]?.bytes) / (SERVERS * TICKS * COLUMNS);
  const times: number[] = [];
  const { read } = layout;
  for (let n = 0; n < READS && read !== null; n += 1) times.push(await timed(() => client.query(read)));
  const middle = times.sort((a, b) => a - b)[Math.floor(READS / 2)];
  const rate = Math.round((SERVERS * TICKS) / wrote);
  print(
    `  ${layout.name.padEnd(44)} ${bytes.toFixed(2)} bytes/sample, ${rate} k readings/s, ` +
      `${middle === undefined ? 'read by programs alone' : `24 h in ${middle.toFixed(1)} ms`}`,
  );
}

const directory = makeRunDirectory();
try {
  await using cluster = await startIn(directory, { major: 18 });
  const db = new Database({ url: new Secret(cluster.url), log: silentLog, applicationName: 'bench', max: 2 });
  try {
    print(`${SERVERS} servers × ${TICKS} minutes × ${COLUMNS} counters, half of them idle:`);
    for (const layout of LAYOUTS) await db.withClient((client) => measure(client, layout));
  } finally {
    await db.stop();
  }
} finally {
  removeRunDirectory(directory);
}

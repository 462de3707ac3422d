// Trouble as it happens on servers, for the proof of alert rules: how it is made, how a probe sees that it is there, and how
// it is mended. Guards: whoever makes one mends it, so that one server serves all of them in turn.
import type { RuleName } from '../../../alerting/rules/catalog.gen.ts';
import type { Row } from '../../../store/layout/types.ts';
import { openClient, type TestClient } from '../client.ts';
import type { TestCluster } from '../postgres.ts';

/** A server. */
export interface Room {
  primary: TestCluster;
}

/** A primary and the two standbys of it. */
export interface RoomWithStandbys extends Room {
  near: TestCluster;
  far: TestCluster;
}

export interface Scene<R extends Room = Room> {
  /** Those that fire. */
  rules: readonly RuleName[];
  /** Those that read it; the first one sees whether the trouble is there. */
  probes: readonly string[];
  /** The server that is read; the primary when absent. */
  on?: 'near';
  /** The oldest version that knows such a thing. */
  from?: number;
  /** Instead of the built-in ones, where the trouble itself would take too long or too much. */
  thresholds?: Partial<Record<RuleName, number>>;
  /** Samples are stored as if they had been taken so many seconds later: what is old by then is old. */
  later?: number;
  /** So long it has to last, in seconds. */
  lasts?: number;
  /** What grows is judged by the last hour, and not there any more after one. */
  grows?: true;
  /** Waits for seconds or makes much data: played in the proof alone. */
  isDear?: true;
  /** On a server of its own, what has to stand for a minute: begun before the first scene. */
  ahead?(server: TestCluster): Promise<unknown>;
  /** What has to have happened before. */
  first?(room: R): Promise<unknown>;
  make(room: R): Promise<() => Promise<unknown>>;
  isThere(rows: readonly Row[], before: readonly Row[]): boolean;
}

export const several = (count: number, server: TestCluster): Promise<TestClient[]> =>
  Promise.all(Array.from({ length: count }, (_none, n) => openClient(server, `kit ${n}`)));
export const endAll = (clients: readonly TestClient[]) => Promise.all(clients.map((one) => one.end()));

/** One after the other, each in a transaction of its own. */
export async function run(server: TestCluster, ...statements: readonly string[]): Promise<void> {
  for (const one of statements) await server.query(one);
}

/** Changes settings by reload, and takes them back. */
export async function set(server: TestCluster, values: Record<string, string>): Promise<() => Promise<void>> {
  const names = Object.keys(values);
  await run(server, ...names.map((name) => `alter system set ${name} = '${values[name]}'`));
  await run(server, 'select pg_reload_conf()');
  return () => run(server, ...names.map((name) => `alter system reset ${name}`), 'select pg_reload_conf()');
}

export const numberIn = (rows: readonly Row[], column: string) => Number(rows[0]?.[column] ?? Number.NaN);
export const named = (rows: readonly Row[], column: string, name: string) =>
  rows.find((row) => row[column] === name);

/** As much WAL as that many segments, whoever wrote how little. */
export const segments = (count: number): string[] => [
  `select pg_logical_emit_message(false, 'kit', repeat('x', 1000)), pg_switch_wal() from generate_series(1, ${count})`,
];

export async function cannotArchive({ primary }: Room): Promise<() => Promise<unknown>> {
  const mend = await set(primary, { archive_command: 'false' });
  await run(primary, ...segments(1));
  return mend;
}

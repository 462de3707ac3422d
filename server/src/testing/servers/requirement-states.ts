// States of servers in which a probe lacks something: what the reading says, and the advice that mends it, run as it is shown.

import { expect } from 'vitest';
import { CREATE_STATEMENTS } from '../../probes/requirements/dependencies.ts';
import { remediesIn } from '../../probes/requirements/remedy.ts';
import type { Outcome } from '../../store/layout/types.ts';
import type { TestCluster } from './postgres.ts';
import { probeNamed, runProbe, sessionOn } from './probing.ts';

export const PASSWORD = 'requirements of the test';
/** Everything as it should be but for what a state takes away. */
export const GOOD = {
  shared_preload_libraries: 'auto_explain, pg_stat_statements',
  track_io_timing: true,
  track_wal_io_timing: true,
  track_functions: 'pl',
};

/** What the probe's run became for that role: how it shows and the text that mends it. */
export async function readingOf(server: TestCluster, probe: string, username = 'watcher') {
  const session = await sessionOn(server, { username, password: PASSWORD });
  try {
    return seen(await runProbe(session, probeNamed(probe), username));
  } finally {
    await session.client.close();
  }
}

function seen(outcome: Outcome) {
  const cause = outcome.kind === 'failed' ? undefined : outcome.cause;
  const reason = outcome.kind === 'ran' ? outcome.note : outcome.reason;
  return { kind: outcome.kind, cause, reason, mend: outcome.mend ?? null };
}

interface Runs {
  server: TestCluster;
  /** Of a standby. */
  primary?: TestCluster;
  /** Does what a comment asks for. */
  byHand?: (comment: string) => Promise<void>;
}

/** Runs the text as somebody who reads its comments would. */
async function runRemedy(text: string, { server, primary, byHand }: Runs): Promise<void> {
  let on = server;
  for (const line of text.split('\n')) {
    if (line === '-- on the primary of this standby:') on = primary ?? expect.fail('no primary');
    else if (/^-- (then )?restart this server$/.test(line)) {
      await server.shutdown();
      await server.start();
    } else if (line.startsWith('--')) await (byHand ?? expect.fail)(line);
    else await on.query(line);
  }
}

interface State extends Runs {
  probe: string;
  username?: string;
  /** How it shows, what is said and what is advised. */
  shows: [cause: string, says: RegExp, mend: string];
}

/** Brought about already: it shows as it should, and what is advised mends it for good. */
export async function mends({ probe, username, shows: [cause, says, mend], ...runs }: State): Promise<void> {
  const reading = () => readingOf(runs.server, probe, username);
  // Settings reach sessions, and changes a standby, a moment later.
  await expect.poll(reading, { timeout: 90_000 }).toMatchObject({ cause, mend });
  expect((await reading()).reason).toMatch(says);
  for (const remedy of remediesIn(mend)) await runRemedy(remedy, runs);
  await expect
    .poll(reading, { timeout: 90_000 })
    .toMatchObject({ kind: 'ran', cause: undefined, mend: null });
}

export async function makeRoles(server: TestCluster): Promise<void> {
  for (const [name, how] of [
    ['watcher', 'in role pg_monitor'],
    ['plain', ''],
    ['closed', 'noinherit'],
  ])
    await server.query(`create role ${name} login password '${PASSWORD}' ${how}`);
}

export const CREATE = CREATE_STATEMENTS.join('\n');
export const LOAD =
  "alter system set shared_preload_libraries = 'auto_explain', 'pg_stat_statements';\n-- then restart this server";
export const RESTART = '-- restart this server';
export const PRIMARY = '-- on the primary of this standby:';
export const STATEMENTS = { probe: 'pg_stat_statements' };

export async function preloadOnly(server: TestCluster, libraries: string): Promise<void> {
  await server.query(`alter system set shared_preload_libraries = ${libraries}`);
  await server.shutdown();
  await server.start();
}

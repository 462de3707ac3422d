// The table of causes against real servers of every version: each state is brought about, judged as the collector
// does it, mended by running the very text that is shown, in that state, and judged again.
import { cpSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Binaries } from '../datastore/binaries.ts';
import { remediesIn } from '../probes/requirements/remedy.ts';
import type { Outcome } from '../store/layout/types.ts';
import { binariesOf } from '../testing/servers/cluster.ts';
import { type Major, startCluster, type TestCluster, testDirectory } from '../testing/servers/postgres.ts';
import { probeNamed, runProbe, sessionOn } from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';

const PASSWORD = 'requirements of the test';
/** Everything as it should be but for what a state takes away. */
const GOOD = {
  shared_preload_libraries: 'auto_explain, pg_stat_statements',
  track_io_timing: true,
  track_wal_io_timing: true,
  track_functions: 'pl',
};

/** What the probe's run became for that role: how it shows and the text that mends it. */
async function readingOf(server: TestCluster, probe: string, username = 'watcher') {
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
async function mends({ probe, username, shows: [cause, says, mend], ...runs }: State): Promise<void> {
  const reading = () => readingOf(runs.server, probe, username);
  // Settings reach sessions, and changes a standby, a moment later.
  await expect.poll(reading, { timeout: 90_000 }).toMatchObject({ cause, mend });
  expect((await reading()).reason).toMatch(says);
  for (const remedy of remediesIn(mend)) await runRemedy(remedy, runs);
  await expect
    .poll(reading, { timeout: 90_000 })
    .toMatchObject({ kind: 'ran', cause: undefined, mend: null });
}

async function makeRoles(server: TestCluster): Promise<void> {
  for (const [name, how] of [
    ['watcher', 'in role pg_monitor'],
    ['plain', ''],
    ['closed', 'noinherit'],
  ])
    await server.query(`create role ${name} login password '${PASSWORD}' ${how}`);
}

const CREATE = 'create extension pg_stat_statements;';
const LOAD =
  "alter system set shared_preload_libraries = 'auto_explain', 'pg_stat_statements';\n-- then restart this server";
const RESTART = '-- restart this server';
const PRIMARY = '-- on the primary of this standby:';
const STATEMENTS = { probe: 'pg_stat_statements' };

async function preloadOnly(server: TestCluster, libraries: string): Promise<void> {
  await server.query(`alter system set shared_preload_libraries = ${libraries}`);
  await server.shutdown();
  await server.start();
}

describe.each(majorsOfKits())('on PostgreSQL %i', (major) => {
  let server: TestCluster;
  beforeAll(async () => {
    server = await startCluster({ major, settings: GOOD });
    await makeRoles(server);
  }, 60_000);
  afterAll(() => server.stop());

  it('the extension of statements is created, loaded and brought up to date', {
    timeout: 300_000,
  }, async () => {
    const state = { ...STATEMENTS, server };
    await mends({ ...state, shows: ['missing_extension', /^The extension .* is not installed in/, CREATE] });
    await server.query('drop extension pg_stat_statements');
    await server.query("create extension pg_stat_statements version '1.8'");
    const update = 'alter extension pg_stat_statements update;';
    await mends({ ...state, shows: ['incomplete', /is of version 1\.8, older than/, update] });

    // A setting of an extension that is not loaded is there all the same, as a placeholder.
    await server.query('alter system set pg_stat_statements.max = 6000');
    await preloadOnly(server, 'auto_explain');
    await mends({
      ...state,
      shows: ['missing_extension', /was not loaded at the start of the server/, LOAD],
    });

    await preloadOnly(server, 'auto_explain');
    await server.query('alter system set shared_preload_libraries = auto_explain, pg_stat_statements');
    await server.query('select pg_reload_conf()');
    await mends({ ...state, shows: ['missing_extension', /waits for a restart/, RESTART] });

    await server.query('drop extension pg_stat_statements');
    await preloadOnly(server, 'auto_explain');
    const both = `${LOAD}\n${CREATE}`;
    await mends({ ...state, shows: ['missing_extension', /neither loaded .* nor installed/, both] });
    expect(await server.query('show shared_preload_libraries')).toEqual([
      { shared_preload_libraries: 'auto_explain, pg_stat_statements' },
    ]);
  });

  it('what is preloaded already is not dropped by who may not see it', async () => {
    await server.query('create extension if not exists pg_stat_statements');
    await server.query('grant pg_read_all_stats to plain');
    await preloadOnly(server, 'auto_explain');
    const add =
      '-- add pg_stat_statements to what shared_preload_libraries already holds, in postgresql.conf\n-- then restart this server';
    const byHand = async () => {
      await server.query('alter system set shared_preload_libraries = auto_explain, pg_stat_statements');
    };
    await mends({
      ...STATEMENTS,
      server,
      username: 'plain',
      byHand,
      shows: ['missing_extension', /was not loaded/, add],
    });
    await server.query('revoke pg_read_all_stats from plain');
  });

  it('an extension in a schema that the role may not use', async () => {
    await server.query('drop extension if exists pg_stat_statements');
    await server.query('create schema private');
    await server.query('create extension pg_stat_statements schema private');
    const mend = 'grant usage on schema private to watcher;';
    await mends({ ...STATEMENTS, server, shows: ['missing_grant', /may not use the schema private/, mend] });
    await server.query('drop extension pg_stat_statements');
  });

  it('rights that the role lacks, or has and does not inherit', async () => {
    const lacks = /which lacks the rights of pg_read_all_settings/;
    const settings = { probe: 'pg_settings', server };
    const mend = 'grant pg_read_all_settings to plain;';
    await mends({ ...settings, username: 'plain', shows: ['masked', lacks, mend] });
    const inherit = 'alter role closed inherit;';
    const grant = 'grant pg_read_all_settings to closed';
    const first = major >= 16 ? `${grant} with inherit true;` : `${grant};\n${inherit}`;
    await mends({ ...settings, username: 'closed', shows: ['masked', lacks, first] });

    await server.query('drop role closed');
    await server.query(`create role closed login noinherit password '${PASSWORD}' in role pg_monitor`);
    const again = major >= 16 ? `${grant} with inherit true;` : inherit;
    const does = /is a member of pg_read_all_settings, but does not inherit/;
    await mends({ ...settings, username: 'closed', shows: ['masked', does, again] });

    const hba = [
      'select on pg_catalog.pg_hba_file_rules',
      'execute on function pg_catalog.pg_hba_file_rules()',
    ];
    const grants = hba.map((one) => `grant ${one} to watcher;`).join('\n');
    await mends({ probe: 'pg_hba_file_rules', server, shows: ['missing_grant', /\S/, grants] });
  });

  it('sequences that pg_monitor may not read, all of them or some', async () => {
    const sequences = { probe: 'pg_sequence_usage', server };
    expect(await readingOf(server, 'pg_sequence_usage')).toMatchObject({ cause: undefined, mend: null });
    const odd = '"Odd ""one"';
    for (const sql of ['sequence plain_one', `schema ${odd}`, `table ${odd}.t (id serial)`])
      await server.query(`create ${sql}`);
    const grant = (schema: string) => `grant select on all sequences in schema ${schema} to watcher;`;
    const both = `${grant('public')}\n${grant(odd)}`;
    const none = /^The role watcher may not read any of the 2 sequences in the database postgres, so nobody/;
    await mends({ ...sequences, shows: ['missing_grant', none, both] });
    await server.query(`create sequence ${odd}.later`);
    const some = /may not read 1 of the 3 sequences in the database postgres/;
    await mends({ ...sequences, shows: ['masked', some, grant(odd)] });
    await server.query(`drop schema ${odd} cascade`);
    await server.query('drop sequence plain_one');
  });

  it.each([
    ['track_activities', 'off', 'on', 'pg_stat_activity'],
    ['track_counts', 'off', 'on', 'pg_stat_database'],
    ['track_io_timing', 'off', 'on', 'pg_stat_database'],
    ['track_wal_io_timing', 'off', 'on', 'pg_stat_wal'],
    ['track_functions', 'none', 'pl', 'pg_stat_user_functions'],
    ['compute_query_id', 'off', 'auto', 'pg_stat_statements'],
    ['pg_stat_statements.track', 'none', 'top', 'pg_stat_statements'],
  ])('%s', async (...[name, bad, good, probe]) => {
    await server.query('create extension if not exists pg_stat_statements');
    await server.query(`alter system set ${name} = ${bad}`);
    await server.query('select pg_reload_conf()');
    const mend = `alter system set ${name} = ${good};\nselect pg_reload_conf();`;
    await mends({ probe, server, shows: ['incomplete', new RegExp(`^${name} is ${bad}, so `), mend] });
    await server.query(`alter database postgres set ${name} = ${bad}`);
    const ofDatabase = `alter database postgres set ${name} = ${good};`;
    await mends({ probe, server, shows: ['incomplete', /in the database postgres/, ofDatabase] });
    await server.query(`alter role watcher set ${name} = ${bad}`);
    expect(await readingOf(server, probe)).toMatchObject({ cause: undefined });
    await server.query('alter role watcher reset all');
  });

  it('what nothing mends', async () => {
    const old = await readingOf(server, 'pg_stat_io');
    if (major >= 16) expect(old.kind).toBe('ran');
    else expect(old).toMatchObject({ kind: 'skipped', cause: 'not_applicable', mend: null });
    expect(await readingOf(server, 'spock_resolutions')).toMatchObject({
      cause: 'not_applicable',
      mend: null,
    });
  });
});

describe.each(majorsOfKits())('on a standby of PostgreSQL %i', (major) => {
  let primary: TestCluster;
  let standby: TestCluster;
  beforeAll(async () => {
    primary = await startCluster({ major, settings: GOOD });
    await makeRoles(primary);
    standby = await startCluster({ standbyOf: primary, settings: { ...GOOD, hot_standby: true } });
  }, 90_000);
  afterAll(() => Promise.all([standby.stop(), primary.stop()]));

  it('what it cannot change itself is advised for its primary', { timeout: 300_000 }, async () => {
    const state = { server: standby, primary };
    const there = (mend: string) => `${PRIMARY}\n${mend}`;
    const create = there(CREATE);
    await mends({ ...state, ...STATEMENTS, shows: ['missing_extension', /not installed in/, create] });

    await preloadOnly(standby, 'auto_explain');
    await mends({ ...state, ...STATEMENTS, shows: ['missing_extension', /was not loaded/, LOAD] });

    await primary.query('drop extension pg_stat_statements');
    await preloadOnly(standby, 'auto_explain');
    const both = `${LOAD}\n${create}`;
    await mends({ ...state, ...STATEMENTS, shows: ['missing_extension', /neither loaded/, both] });

    const grant = there('grant pg_read_all_settings to plain;');
    await mends({ ...state, probe: 'pg_settings', username: 'plain', shows: ['masked', /lacks/, grant] });

    await standby.query('alter system set track_io_timing = off');
    await standby.query('select pg_reload_conf()');
    const setting = 'alter system set track_io_timing = on;\nselect pg_reload_conf();';
    await mends({ ...state, probe: 'pg_stat_database', shows: ['incomplete', /is off/, setting] });
    await primary.query('create sequence plain_one');
    const sequences = there('grant select on all sequences in schema public to watcher;');
    const none = /^The role watcher may not read any of the 1 sequences/;
    await mends({ ...state, probe: 'pg_sequence_usage', shows: ['missing_grant', none, sequences] });

    const hba = await readingOf(standby, 'pg_hba_file_rules');
    expect(hba).toMatchObject({ cause: 'missing_grant', mend: expect.stringMatching(`^${PRIMARY}\ngrant `) });
  });
});

const FILES = 'share/postgresql/extension';

/** PostgreSQL as a package without additional modules installs it; `install` brings them. */
function withoutModules(major: Major): { binaries: Binaries; install: () => void } {
  const found = binariesOf(major);
  const from = path.dirname(path.dirname(found.postgres));
  const home = testDirectory(`bare${major}`);
  const to = path.join(home, 'native');
  const filter = (source: string) => !/\.a$|\/(locale|doc|include)$/.test(source);
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
  const kept = path.join(home, 'kept');
  mkdirSync(kept);
  const control = path.join(to, FILES, 'pg_stat_statements.control');
  renameSync(control, path.join(kept, 'control'));
  const there = (program: string) => path.join(to, 'bin', path.basename(program));
  const binaries = {
    ...found,
    initdb: there(found.initdb),
    postgres: there(found.postgres),
    pgCtl: there(found.pgCtl),
  };
  return { binaries, install: () => renameSync(path.join(kept, 'control'), control) };
}

describe.each([14, 18] as const)('on PostgreSQL %i without its additional modules', (major) => {
  it('the package is named, and what comes after it', async () => {
    const { binaries, install } = withoutModules(major);
    await using server = await startCluster({
      major,
      binaries,
      settings: { ...GOOD, shared_preload_libraries: 'auto_explain' },
    });
    await makeRoles(server);
    const mend = `-- install pg_stat_statements on its machine (package postgresql-contrib)\n${LOAD}\n${CREATE}`;
    const byHand = async () => install();
    await mends({
      ...STATEMENTS,
      server,
      byHand,
      shows: ['missing_extension', /is not on the server/, mend],
    });
  });
});

// Causes that take a restart, a standby or a server without additional modules: each is brought about, judged, mended by the text that
// is shown, and judged again; the others are in requirements.kit.test.ts.
import { cpSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Binaries } from '../datastore/binaries.ts';
import { binariesOf } from '../testing/servers/cluster.ts';
import {
  MAJORS,
  type Major,
  startCluster,
  type TestCluster,
  testDirectory,
} from '../testing/servers/postgres.ts';
import {
  CREATE,
  GOOD,
  LOAD,
  makeRoles,
  mends,
  PRIMARY,
  preloadOnly,
  RESTART,
  readingOf,
  STATEMENTS,
} from '../testing/servers/requirement-states.ts';

describe.each(MAJORS)('on PostgreSQL %i', (major) => {
  let server: TestCluster;
  beforeAll(async () => {
    server = await startCluster({ major, settings: GOOD });
    await makeRoles(server);
  });
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
    // Where everybody may use it: the remedy before has put it into a schema that this role may not.
    await server.query('drop extension if exists pg_stat_statements');
    await server.query('create extension pg_stat_statements');
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
});

describe.each(MAJORS)('on a standby of PostgreSQL %i', (major) => {
  let primary: TestCluster;
  let standby: TestCluster;
  beforeAll(async () => {
    primary = await startCluster({ major, settings: GOOD });
    await makeRoles(primary);
    standby = await startCluster({ standbyOf: primary, settings: { ...GOOD, hot_standby: true } });
  });
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
    const none =
      /^The role watcher may not read the only sequence in the database .*, so its exhaustion cannot/;
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

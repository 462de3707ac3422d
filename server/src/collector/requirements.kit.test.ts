// The table of causes against real servers of every version: each state is brought about, judged as the collector
// does it, mended by running the very text that is shown, in that state, and judged again. What takes a restart or a standby is in
// requirements.proof.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import {
  GOOD,
  makeRoles,
  mends,
  PASSWORD,
  readingOf,
  STATEMENTS,
} from '../testing/servers/requirement-states.ts';
import { isProof, majorsInFull } from '../testing/tier.ts';

/** What each would have a probe lack. */
const SETTINGS = [
  ['track_activities', 'off', 'on', 'pg_stat_activity'],
  ['track_counts', 'off', 'on', 'pg_stat_database'],
  ['track_io_timing', 'off', 'on', 'pg_stat_database'],
  ['track_wal_io_timing', 'off', 'on', 'pg_stat_wal'],
  ['track_functions', 'none', 'pl', 'pg_stat_user_functions'],
  ['compute_query_id', 'off', 'auto', 'pg_stat_statements'],
  ['pg_stat_statements.track', 'none', 'top', 'pg_stat_statements'],
] as const;
/** Everyday one of the server and one of an extension. */
const settings = SETTINGS.filter(
  ([name]) => isProof() || name === 'track_io_timing' || name === 'pg_stat_statements.track',
);

describe.each(majorsInFull())('on PostgreSQL %i', (major) => {
  let server: TestCluster;
  beforeAll(async () => {
    server = await startCluster({ major, settings: GOOD });
    await makeRoles(server);
  });
  afterAll(() => server.stop());

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
    const none =
      /^The role watcher may not read any of the 2 sequences in the database postgres, so their exhaustion/;
    await mends({ ...sequences, shows: ['missing_grant', none, both] });
    await server.query(`create sequence ${odd}.later`);
    const some = /may not read 1 of the 3 sequences in the database postgres/;
    await mends({ ...sequences, shows: ['masked', some, grant(odd)] });
    await server.query(`drop schema ${odd} cascade`);
    await server.query('drop sequence plain_one');
  });

  it.each(settings)('%s', async (...[name, bad, good, probe]) => {
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

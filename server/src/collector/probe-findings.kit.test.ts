// Probes that judge or that meet trouble: index health, sequences that run out, subscriptions, spock's logs; and
// relations that somebody has locked, which cost no probe its run.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProbedDatabase, probedDatabase, sqlProbe } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer } from '../testing/servers/postgres.ts';
import { runProbe } from '../testing/servers/probing.ts';
import { majorsOfKits } from '../testing/tier.ts';

const SETUP = [
  'create table parent (id integer primary key, code text)',
  `create table child (
    id bigserial primary key, parent_id integer constraint child_parent references parent,
    other_id integer constraint child_other references parent, a integer, b integer, c text)`,
  'create index child_parent_idx on child (parent_id, a)',
  'create index dup_first on child (a, b)',
  'create index dup_second on child (a, b)',
  'create index dup_desc on child (a desc, b)',
  'create index shorter on child (a)',
  'create index part_only on child (b) where a > 0',
  'create index expr_first on child (lower(c))',
  'create index expr_second on child (lower( c ))',
  'create index with_more on child (c) include (b)',
  'create index with_less on child (c)',
  'create unique index needed on child (c)',
  'insert into parent select g, $$x$$ from generate_series(1, 10) g',
  'insert into child (parent_id, a, b, c) select 1, g, g, g::text from generate_series(1, 1000) g',
  'analyze parent, child',
  'create sequence narrow maxvalue 200 start 1',
  `select setval('narrow', 150)`,
  'create sequence falling increment -1 minvalue -100 maxvalue -1',
  `select setval('falling', -26)`,
  'create sequence wide',
  `create table fed (id integer default nextval('wide'))`,
  `select setval('wide', 1073741824)`,
  'create sequence turning maxvalue 200 cycle',
  `select setval('turning', 150)`,
  'create sequence fresh',
  'create sequence locked_one',
  `select setval('locked_one', 5)`,
];

const SPOCK = [
  'create schema spock',
  `create table spock.exception_log (
    remote_origin oid not null, remote_commit_ts timestamptz not null, command_counter integer not null,
    retry_errored_at timestamptz not null, remote_xid bigint not null, local_origin oid, local_commit_ts timestamptz,
    table_schema text, table_name text, operation text, local_tup jsonb, remote_old_tup jsonb, remote_new_tup jsonb,
    ddl_statement text, ddl_user text, error_message text not null)`,
  `create table spock.resolutions (
    id integer generated always as identity, node_name name not null, log_time timestamptz not null, relname text,
    idxname text, conflict_type text, conflict_resolution text, local_origin integer, local_tuple text, local_xid xid,
    local_timestamp timestamptz, remote_origin integer, remote_tuple text, remote_xid xid,
    remote_timestamp timestamptz, remote_lsn pg_lsn)`,
  `insert into spock.exception_log values
    (1, now(), 1, now() - interval '1 minute', 77, 2, now(), 'public', 't', 'DDL', '{"id": 1}', null, null,
      'alter role app password ''hunter2''', 'app', 'it failed'),
    (1, now(), 2, now() - interval '16 minutes', 78, 2, now(), 'public', 't', 'INSERT', null, null, null, null, null, 'old')`,
  `insert into spock.resolutions (node_name, log_time, relname, conflict_type, local_xid, remote_lsn) values
    ('n1', now() - interval '14 minutes', 'public.t', 'update_update', '5', '0/1234'),
    ('n1', now() - interval '20 minutes', 'public.t', 'update_update', '4', '0/1233')`,
];

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let database: ProbedDatabase;
  beforeAll(async () => {
    database = await probedDatabase(await sharedServer(major), SETUP);
    // Fails and leaves an index that queries cannot use.
    await database.query('insert into parent values (11, $$x$$)');
    await expect(
      database.query('create unique index concurrently broken on parent (code)'),
    ).rejects.toThrow();
  });
  afterAll(() => database.close());

  it('index health names each index that can go, why, and foreign keys without one', async () => {
    const rows = await database.rows('pg_index_health');
    const of = (finding: string) =>
      rows
        .filter((row) => row.finding === finding)
        .map((row) => [row.indexrelname ?? row.constraint_name, row.covered_by])
        .sort();
    expect(of('invalid')).toEqual([['broken', null]]);
    expect(of('duplicate')).toEqual([
      ['dup_second', 'dup_first'],
      ['expr_second', 'expr_first'],
      ['with_less', 'needed'],
    ]);
    expect(of('overlapping')).toEqual([['shorter', 'dup_first']]);
    expect(of('missing_fk_index')).toEqual([['child_other', null]]);
    expect(of('unused').map(([name]) => name)).toEqual(
      [
        'child_parent_idx',
        'dup_desc',
        'dup_first',
        'dup_second',
        'expr_first',
        'expr_second',
        'part_only',
        'shorter',
        'with_less',
        'with_more',
      ].sort(),
    );
    expect(rows.find(({ indexrelname }) => indexrelname === 'expr_first')).toMatchObject({
      schemaname: 'public',
      relname: 'child',
      column_names: '()',
      idx_scan: 0,
    });
    expect(rows.find(({ constraint_name }) => constraint_name === 'child_other')).toMatchObject({
      relname: 'child',
      column_names: 'other_id',
      indexrelname: null,
      index_size: null,
    });
    expect(new Set(rows.map(({ schemaname }) => schemaname))).toEqual(new Set(['public']));
  });

  it('sequences tell how much of their range and of their column is used', async () => {
    const found = new Map((await database.rows('pg_sequence_usage')).map((row) => [row.sequencename, row]));
    expect(found.get('narrow')).toMatchObject({ last_value: 150, max_value: 200, table_name: null });
    expect(found.get('narrow')?.used_percent).toBeCloseTo((100 * 149) / 199, 6);
    expect(found.get('falling')).toMatchObject({ increment_by: -1, last_value: -26 });
    expect(found.get('falling')?.used_percent).toBeCloseTo((100 * 25) / 99, 6);
    expect(found.get('wide')).toMatchObject({
      data_type: 'bigint',
      table_name: 'fed',
      column_name: 'id',
      column_type: 'integer',
    });
    expect(found.get('wide')?.column_used_percent).toBeCloseTo(50, 5);
    // The column is full long before the sequence is; and what begins anew never is.
    expect(found.get('wide')?.exhausted_percent).toBe(found.get('wide')?.column_used_percent);
    expect(found.get('narrow')?.exhausted_percent).toBe(found.get('narrow')?.used_percent);
    expect(found.get('turning')).toMatchObject({ cycles: true, exhausted_percent: null });
    expect(found.get('child_id_seq')).toMatchObject({
      last_value: 1000,
      column_type: 'bigint',
      cycles: false,
    });
    const unknown = { last_value: null, used_percent: null, column_used_percent: null };
    expect(found.get('fresh')).toMatchObject(unknown);
  });

  it('locked relations cost no probe its run', async () => {
    const holder = await database.client();
    await holder.query('begin');
    await holder.query('lock table child in access exclusive mode');
    await holder.query('alter sequence locked_one increment 2');
    for (const probe of [
      'pg_stat_all_tables',
      'pg_stat_all_indexes',
      'pg_statio_all_sequences',
      'pg_index_health',
      'pg_sequence_usage',
      'pg_stat_database',
      'pg_extension',
    ])
      expect({ probe, ...(await database.outcome(probe)) }).toMatchObject({ probe, kind: 'ran' });
    const tables = await database.rows('pg_stat_all_tables');
    expect(Number(tables.find(({ relname }) => relname === 'child')?.table_size)).toBeGreaterThan(0);
    const sequences = await database.rows('pg_sequence_usage');
    expect(sequences.find(({ sequencename }) => sequencename === 'locked_one')).toMatchObject({
      last_value: null,
    });
    expect(sequences.find(({ sequencename }) => sequencename === 'narrow')).toMatchObject({
      last_value: 150,
    });
    await holder.query('rollback');
    const after = await database.rows('pg_sequence_usage');
    expect(after.find(({ sequencename }) => sequencename === 'locked_one')).toMatchObject({ last_value: 5 });
  });

  it('a role without rights on a sequence learns everything but its value', async () => {
    const role = `watcher_${database.name}`;
    await database.query(`create role ${role} login password 'watcher'`);
    const session = await database.as(role, 'watcher');
    for (const probe of [
      'pg_stat_all_tables',
      'pg_stat_all_indexes',
      'pg_index_health',
      'pg_subscription_rel',
    ])
      expect({ probe, ...(await database.outcome(probe, session)) }).toMatchObject({ probe, kind: 'ran' });
    const outcome = await database.outcome('pg_sequence_usage', session);
    if (outcome.kind !== 'ran') throw new Error(outcome.reason);
    expect(outcome.rows.find(({ sequencename }) => sequencename === 'narrow')).toMatchObject({
      last_value: null,
      used_percent: null,
      max_value: 200,
    });
    await session.client.close();
    await database.query(`drop role ${role}`);
  });

  it('tables of a subscription tell how far their copy has got', async () => {
    await database.query(
      `create subscription probed connection 'host=127.0.0.1 dbname=none' publication p with (connect = false)`,
    );
    const client = await database.client();
    await client.query('set allow_system_table_mods = on');
    await client.query(
      `insert into pg_subscription_rel select oid, 'child'::regclass, 'd', null from pg_subscription`,
    );
    expect(await database.rows('pg_subscription_rel')).toMatchObject([
      { subname: 'probed', schemaname: 'public', relname: 'child', srsubstate: 'd', srsublsn: null },
    ]);
    await client.query('delete from pg_subscription_rel');
    await client.query('alter subscription probed set (slot_name = none)');
    await client.query('drop subscription probed');
  });

  it("spock's logs of the last quarter of an hour are read from the extension alone, without secrets", async () => {
    const reason = `resolutions of the extension spock does not exist in the database ${database.name}, or the role watcher lacks permission to read it.`;
    for (const statement of SPOCK) await database.query(statement);
    // A schema of that name is anybody's.
    expect(await database.outcome('spock_resolutions')).toMatchObject({
      kind: 'skipped',
      cause: 'not_applicable',
      reason,
      mend: null,
    });
    const { session } = database;
    const columns = new Map(session.capabilities.columns);
    for (const table of ['exception_log', 'resolutions']) {
      const names = await database.query(
        `select attname from pg_attribute where attrelid = 'spock.${table}'::regclass and attnum > 0`,
      );
      columns.set(`@spock.${table}`, new Set(names.map(({ attname }) => String(attname))));
    }
    const extensions = new Map([...session.capabilities.extensions, ['spock', '5.0.1'] as const]);
    const schemas = new Map([...session.capabilities.extensionSchemas, ['spock', '"spock"'] as const]);
    const offered = { ...session.capabilities, extensions, extensionSchemas: schemas };
    const rows = async (name: string) => {
      const probed = { ...session, capabilities: { ...offered, columns } };
      const outcome = await runProbe(probed, sqlProbe(name), 'watcher');
      return outcome.kind === 'ran' ? outcome.rows : outcome;
    };
    expect(await rows('spock_exception_log')).toMatchObject([
      {
        remote_origin: 1,
        command_counter: 1,
        remote_xid: 77,
        local_tup: '{"id": 1}',
        ddl_statement: "alter role app password '********'",
        error_message: 'it failed',
      },
    ]);
    expect(await rows('spock_resolutions')).toMatchObject([
      { id: 1, node_name: 'n1', local_xid: '5', remote_lsn: major < 19 ? '0/1234' : '0/00001234' },
    ]);
    // There, but not for our role.
    expect(
      await runProbe({ ...session, capabilities: offered }, sqlProbe('spock_exception_log'), 'watcher'),
    ).toMatchObject({
      kind: 'skipped',
      cause: 'missing_grant',
      reason: 'The role watcher lacks usage on schema spock, select on spock.exception_log.',
      mend: 'grant usage on schema spock to watcher;\ngrant select on spock.exception_log to watcher;',
    });
  });
});

// S5: a corpus of statements that try to do more than read: nothing that can be seen from outside changes, and what only looks like one
// of them is answered. Everyday on PostgreSQL 18 as the superuser, whom no right of the server holds back; in the proof on 14 to 18
// as three roles. Some of them are run without any layer, everyday two, to see that one would see it.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { Secret } from '../../kernel/secret.ts';
import { MAJORS, type Major } from '../../testing/servers/postgres.ts';
import { IDEAS } from '../../testing/sql/attack-ideas.ts';
import {
  AMBIENT,
  ATTACKER_ROLES,
  type AttackerRole,
  type AttackScene,
  attackScene,
} from '../../testing/sql/attack-scene.ts';
import { AMBIENT_ATTACKS, ATTACKS, CAPTURED } from '../../testing/sql/attacks.ts';
import { ATTRIBUTE_IDEAS } from '../../testing/sql/attribute-ideas.ts';
import { HARMLESS } from '../../testing/sql/harmless.ts';
import { HIDDEN_IDEAS, WORDS } from '../../testing/sql/hidden-ideas.ts';
import { withKeptPlan } from '../../testing/sql/kept-plan.ts';
import { PLANNED, PLANNING_ATTACKS } from '../../testing/sql/planning-traps.ts';
import { SUPERUSER_ATTACKS, SUPERUSER_TRAPS } from '../../testing/sql/superuser-traps.ts';
import { isProof, majorsInFull } from '../../testing/tier.ts';
import { connectTarget, type TextClient } from '../connect.ts';
import { explainStatement, prepareOnly, readRows } from './read.ts';
import { StatementRefused } from './types.ts';

const parser = new StatementParser();
afterAll(() => parser.stop());

const ROLES: readonly AttackerRole[] = isProof() ? ATTACKER_ROLES : ['postgres'];
/** Explaining and preparing go the same way as reading: the proof tries them on the oldest version and the newest. */
const waysOn = (major: Major) => (isProof() && (major === MAJORS[0] || major === MAJORS.at(-1)) ? 4 : 1);

const BY_WAY = { ...ATTACKS, ...IDEAS, ...ATTRIBUTE_IDEAS, ...HIDDEN_IDEAS, planning: PLANNING_ATTACKS };
const all = [
  ...Object.values(BY_WAY).flat(),
  ...CAPTURED,
  ...WORDS,
  ...AMBIENT_ATTACKS,
  ...SUPERUSER_ATTACKS,
];

describe('the corpus', () => {
  it('is large, and says nothing twice', () => {
    expect(all.length).toBeGreaterThanOrEqual(500);
    expect(new Set(all).size).toBe(all.length);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(40);
  });
});

describe.each(majorsInFull())('on PostgreSQL %s', (major) => {
  let scene: AttackScene;
  beforeAll(async () => {
    scene = await attackScene(major);
  });
  afterAll(() => scene?.stop());

  const written = (text: string) =>
    text
      .replaceAll('@F', scene.folder)
      .replaceAll('@P', String(scene.server.port))
      .replaceAll('@W', scene.server.password);

  const connect = (role: AttackerRole) =>
    connectTarget({
      host: '127.0.0.1',
      port: scene.server.port,
      database: 'postgres',
      username: role,
      password: new Secret(scene.password(role)),
      ssl_mode: 'disable',
      application_name: 'matriarch sql',
      connect_timeout_ms: 20_000,
      statement_timeout_ms: 10_000,
      allow_private_networks: true,
      max_socket_bytes: 8 * 1024 * 1024,
    });

  /** What came of it: `run`, or why it was refused. The session is used again while it lives: less is cleaned than in the product. */
  async function attempts(
    role: AttackerRole,
    texts: readonly string[],
    most = 1,
  ): Promise<Map<string, string>> {
    const outcomes = new Map<string, string>();
    let client: TextClient | undefined;
    for (const text of texts) {
      client ??= withKeptPlan(await connect(role));
      let isLost = false;
      client.onLost(() => {
        isLost = true;
      });
      const options = { client, parser, timeout_ms: 10_000, allow_superuser: true };
      const ways = [
        () => readRows(options, { text: written(text), limit: 10, offset: 0 }),
        () => explainStatement(options, written(text), { analyze: true, buffers: false, format: 'text' }),
        () => explainStatement(options, written(text), { analyze: false, buffers: false, format: 'text' }),
        () => prepareOnly(options, written(text)),
      ];
      const outcome: string[] = [];
      for (const way of ways.slice(0, most))
        outcome.push(
          await way().then(
            () => 'run',
            (error: unknown) =>
              error instanceof StatementRefused ? `${error.why}: ${error.message}` : `lost: ${String(error)}`,
          ),
        );
      outcomes.set(text, outcome[0] ?? '');
      if (isLost) client = undefined;
    }
    await client?.close();
    return outcomes;
  }

  it.each(ROLES)('nothing happens to the server as %s', async (role) => {
    const passed: string[] = [];
    for (const [way, texts] of Object.entries({ ...BY_WAY, captured: [...CAPTURED, ...WORDS] })) {
      const before = await scene.state();
      // One role that may do all is enough to explain and prepare as.
      const outcomes = await attempts(role, texts, role === 'postgres' ? waysOn(major) : 1);
      expect([way, await scene.state()]).toEqual([way, before]);
      for (const [text, outcome] of outcomes) if (outcome === 'run' && way !== 'captured') passed.push(text);
    }
    expect(passed).toEqual([]);
  });

  it('a domain is refused by itself, whatever it checks', async () => {
    const [outcome] = [...(await attempts('postgres', ['select 1::prey.positive'], 1)).values()];
    expect(outcome).toMatch(/^not_proven: The type positive is a domain or a row/);
  });

  it('a function that several schemas have is asked for with its schema', async () => {
    await scene.run('alter function public.levenshtein(text, text) set schema prey');
    const texts = [`select levenshtein('a', 'b')`, `select prey.levenshtein('a', 'b')`];
    const [bare, named] = [...(await attempts('postgres', texts, 1)).values()];
    expect(bare).toMatch(/^not_proven: Several schemas have a function levenshtein/);
    expect(named).toBe('run');
  });

  it.each(ROLES)('what only looks like it is answered as %s', async (role) => {
    const before = await scene.state();
    // Who may not write a table may not plan that either.
    const texts = role === 'monitor' ? HARMLESS : [...HARMLESS, ...PLANNED];
    const outcomes = await attempts(role, texts, 1);
    const refused = [...outcomes].filter(([, outcome]) => outcome !== 'run');
    expect(refused).toEqual([]);
    expect(await scene.state()).toEqual(before);
  });

  it('a row that becomes a text by a cast of the database is given to no function', async () => {
    await scene.run('create type prey.couple as (a int)');
    await scene.run('create cast (prey.couple as text) with inout as implicit');
    await scene.run('create table prey.pairs of prey.couple');
    await scene.run(
      'create function prey.of_text(text) returns int language sql as $$ select prey.strike() $$',
    );
    const texts = ['select p.of_text from prey.pairs p', `select ('x'::text).of_text`];
    const outcomes = await attempts('postgres', texts, 1);
    expect(
      [...outcomes.values()].filter((one) => !one.startsWith('not_proven: The function of_text')),
    ).toEqual([]);
    await scene.run('drop cast (prey.couple as text)');
  });

  it('texts of statements are masked where another view took the name of an extension’s', async () => {
    await scene.run('create view prey.pg_stat_statements as select * from public.pg_stat_statements');
    await scene.run(`alter role monitor password '${scene.password('monitor')}'`);
    const texts = [
      'select query from prey.pg_stat_statements',
      'select query from pg_stat_statements limit 1',
    ];
    const [behind, plain] = [...(await attempts('postgres', texts, 1)).values()];
    expect(behind).toMatch(/^not_allowed: This server holds secrets/);
    expect(plain).toBe('run');
    await scene.run('create schema prey_owned');
    await scene.run('alter extension pg_stat_statements set schema prey_owned');
    const [moved] = [
      ...(await attempts('postgres', ['select query from prey_owned.pg_stat_statements(true)'], 1)).values(),
    ];
    expect(moved).toMatch(/^not_allowed: This server holds secrets/);
    await scene.run('alter extension pg_stat_statements set schema public');
    await scene.run('drop view prey.pg_stat_statements');
  });

  it('what a superuser put in the place of PostgreSQL’s own is not run', async () => {
    for (const text of SUPERUSER_TRAPS) await scene.run(text);
    const before = await scene.state();
    for (const role of ROLES) {
      const outcomes = await attempts(role, SUPERUSER_ATTACKS, 1);
      expect([...outcomes].filter(([, outcome]) => !/^not_(?:proven|allowed): /.test(outcome))).toEqual([]);
    }
    expect(await scene.state()).toEqual(before);
  });

  it('operators and casts of the database that nobody writes are met by every statement, so that none is run', async () => {
    for (const text of AMBIENT) await scene.run(text);
    const before = await scene.state();
    const outcomes = await attempts('postgres', AMBIENT_ATTACKS, 4);
    expect([...outcomes].filter(([, outcome]) => !outcome.startsWith('not_proven: '))).toEqual([]);
    expect(await scene.state()).toEqual(before);
  });

  it('the same statements do happen without the layers, so that one would see it', async () => {
    const seen: string[] = [];
    const unseen: string[] = [];
    const tried = isProof() ? REAL : REAL.slice(0, 2);
    for (const text of tried) {
      // One that has just been ended may still count as open.
      await expect
        .poll(async () => {
          await scene.openVictims();
          return JSON.stringify((await scene.state()).victims);
        })
        .toContain('postgres');
      const before = JSON.stringify(await scene.state());
      const client = new pg.Client({
        host: '127.0.0.1',
        port: scene.server.port,
        user: 'postgres',
        password: scene.server.password,
        database: 'postgres',
      });
      client.on('error', () => undefined);
      await client.connect();
      await client.query(written(text)).catch((error: unknown) => unseen.push(`${text}: ${String(error)}`));
      await client.query('select 1').catch(() => undefined);
      await expect
        .poll(async () => JSON.stringify(await scene.state()) !== before)
        .toBe(true)
        .then(
          () => seen.push(text),
          () => unseen.push(text),
        );
      await client.end().catch(() => undefined);
    }
    expect(unseen).toEqual([]);
    expect(seen).toEqual(tried);
  });
});

/** One of each kind of effect. */
const REAL = [
  `insert into prey.log values ('x')`,
  'with w as (delete from prey.t where a = 3 returning *) select * from w',
  'select * into prey.copied from prey.t',
  'create role x superuser',
  `alter role monitor set work_mem = '64kB'`,
  `alter system set work_mem = '64kB'`,
  `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim' and usename = 'postgres'`,
  'select * from prey.v limit 1',
  'select * from prey.v_builtin',
  'select * from prey.policed, prey.t where prey.strike() > 0',
  `select 'x'::text = 1`,
  'select t.row_strike from prey.t limit 1',
  'select 1::prey.dom',
  'select prey.agg(a) from prey.t',
  'select * from prey.indexed where a = 1',
  'select * from prey.far',
  'select * from public.machine',
  'select pg_advisory_lock(1)',
  `select pg_notify('prey', 'x')`,
  'select pg_reload_conf()',
  'select pg_switch_wal()',
  'select pg_stat_reset()',
  'select txid_current()',
  'select (2).strike_i',
  `select satisfies_hash_partition('prey.hashed'::regclass, 2, 0, 1)`,
  'select x.dom from generate_series(5, 5) x',
  'select count(*) from prey.t where not (a operator(prey.#%#) 1)',
  `select nextval('prey.s')`,
  'select lo_create(4242)',
  `select lo_export(4242, '@F/exported')`,
  `copy (select 1) to program 'cat > @F/copied'`,
  `select query_to_xml('select prey.strike()', true, true, '')`,
  `select dblink('host=127.0.0.1 port=@P dbname=postgres user=postgres password=@W', 'insert into prey.log values (1)')`,
  'select pg_stat_statements_reset()',
  `select pg_create_physical_replication_slot('x', true)`,
];

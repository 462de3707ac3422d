// Texts of statements: each is fetched once, blanked of secrets and kept in the dictionary; a datastore that is away
// or a lease that has passed on keeps nothing and asks nothing of the monitored server.
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import type { Row } from '../store/layout/types.ts';
import { purgeDeleted } from '../store/upkeep/purge.ts';
import { collecting } from '../testing/collecting.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { type ProbedDatabase, probedDatabase, sqlProbe } from '../testing/servers/database-probes.ts';
import { type Major, sharedServer } from '../testing/servers/postgres.ts';
import { majorsOfKits } from '../testing/tier.ts';
import { Scrubber } from './scrub.ts';
import { StatementTexts } from './statement-texts.ts';

const PROBE = 'pg_stat_statements';
// What a fetch keeps is judged here, not how fast a busy machine answers.
const options = { clock: systemClock, log: silentLog, scrubber: new Scrubber(), datastoreMs: 60_000 };

let store: TestDatabase;
beforeEach(async () => {
  store = await testDatabase();
  onTestFinished(() => store.close());
  await store.db.run(sql`
    insert into matriarch.connection_leases (connection_id, owner, expires_at, epoch)
    values (1, 'test', now() + interval '1 hour', 3)`);
});

interface Kept {
  userid: number;
  queryid: string;
  toplevel: boolean;
  query_text: string;
}

const kept = (database = 'shop') =>
  store.db.rows<Kept & Row>(sql`
    select q.userid, q.queryid::text as queryid, q.toplevel, q.query_text
    from metrics.queries q
    where q.connection_id = 1 and q.database_name = ${database}
    order by q.query_text`);

describe.each(majorsOfKits())('on PostgreSQL %i', (major: Major) => {
  let database: ProbedDatabase;
  let rows: readonly Row[];
  const lease = { connection_id: 1, epoch: 3 };
  const fetchWith = (texts: StatementTexts, epoch = 3) =>
    texts.fetch(database.session, {
      probe: sqlProbe(PROBE),
      read: [{ database_name: 'shop', rows }],
      ...lease,
      epoch,
    });
  /** How often the texts were read in this database. */
  const reads = async () => {
    const [row] = await database.query(`
      select coalesce(sum(calls), 0)::float8 as calls
      from pg_stat_statements
      where query like '%p.query_text%' and query not like '%coalesce%'
        and dbid = (select oid from pg_database where datname = current_database())`);
    return row?.calls;
  };

  beforeAll(async () => {
    database = await probedDatabase(await sharedServer(major), [
      'create extension pg_stat_statements',
      'create table orders (id integer)',
      `create role r_${major} password 'hunter2'`,
      `select 'first', id from orders where id = 5`,
      `do $$ begin perform 'inner', id from orders; end $$`,
      `drop role r_${major}`,
    ]);
    const [own] = await database.query(
      'select oid::bigint as dbid from pg_database where datname = current_database()',
    );
    rows = (await database.rows(PROBE)).filter(({ dbid }) => dbid === own?.dbid);
  });
  afterAll(() => database.close());

  it('are kept once under their statements, without secrets', async () => {
    // Opens a session, which would count as waiting for the datastore.
    expect(await kept()).toEqual([]);
    const before = await reads();
    const texts = new StatementTexts({ ...options, db: store.db });
    await fetchWith(texts);
    const found = await kept();
    expect(found.map(({ queryid }) => queryid).sort()).toEqual(rows.map(({ queryid }) => queryid).sort());
    expect(found.map(({ query_text }) => query_text)).toContain(`select $1, id from orders where id = $2`);
    const role = found.find(({ query_text }) => /^create role/.test(query_text));
    expect(role?.query_text).toMatch(/password '\*+'/);
    expect(JSON.stringify(found)).not.toContain('hunter2');
    expect(await reads()).toBe(Number(before) + 1);
    await fetchWith(texts);
    expect(await reads()).toBe(Number(before) + 1);
    // Another collector, or this one after a restart, asks the dictionary first.
    await fetchWith(new StatementTexts({ ...options, db: store.db }));
    expect(await reads()).toBe(Number(before) + 1);
    expect(await kept()).toEqual(found);
  });

  it('of many databases are asked for and kept in one statement each', async () => {
    const asked: string[] = [];
    const db: Pick<Database, 'rows' | 'run'> = {
      rows: (query) => {
        asked.push('rows');
        return store.db.rows(query);
      },
      run: (query) => {
        asked.push('run');
        return store.db.run(query);
      },
    };
    const [own, others] = [rows.slice(0, 2), rows.slice(2)];
    const read = [
      { database_name: 'shop', rows: own },
      { database_name: 'depot', rows: others },
    ];
    const texts = new StatementTexts({ ...options, db });
    await texts.fetch(database.session, { probe: sqlProbe(PROBE), read, ...lease });
    expect(asked).toEqual(['rows', 'run']);
    const ids = (all: readonly Row[]) => all.map(({ queryid }) => queryid).sort();
    expect(ids(await kept('shop'))).toEqual(ids(own));
    expect(ids(await kept('depot'))).toEqual(ids(others));
    await texts.fetch(database.session, { probe: sqlProbe(PROBE), read, ...lease });
    expect(asked).toHaveLength(2);
  });

  it('are not kept under a lease that has passed on', async () => {
    await fetchWith(new StatementTexts({ ...options, db: store.db }), 2);
    expect(await kept()).toEqual([]);
  });

  it('are not asked for while the datastore is away', async () => {
    const before = await reads();
    const url = new Secret('postgres://nobody@127.0.0.1:1/nothing');
    const away = new Database({ url, log: silentLog, applicationName: 'matriarch test', max: 1 });
    onTestFinished(() => away.stop());
    await fetchWith(new StatementTexts({ ...options, db: away }));
    expect(await reads()).toBe(before);
  });

  it('wait while servers wait to be read, but not for ever', async () => {
    let now = 0;
    const clock = { ...systemClock, monotonic: () => now };
    const texts = new StatementTexts({ ...options, clock, db: store.db, isBusy: () => true });
    const before = await reads();
    for (now of [0, 60_000, 599_999]) await fetchWith(texts);
    expect(await reads()).toBe(before);
    expect(await kept()).toEqual([]);
    now = 600_000;
    await fetchWith(texts);
    expect(await kept()).toHaveLength(rows.length);
  });

  it('of made-up keys never reach SQL', async () => {
    const good = rows.find(({ calls }) => calls === 1);
    const texts = new StatementTexts({ ...options, db: store.db });
    const bad = { ...good, queryid: `1}'::text[]) or true --` };
    const read = [{ database_name: 'shop', rows: [bad] }];
    await texts.fetch(database.session, { probe: sqlProbe(PROBE), read, ...lease });
    expect(await kept()).toEqual([]);
  });
});

describe('in the collector', () => {
  it('appear with the statements, and go with the connection', async () => {
    const server = await sharedServer(16);
    const database = await probedDatabase(server, [
      'create extension pg_stat_statements',
      'create table orders (id integer)',
      'select id from orders where id = 7',
    ]);
    await store.db.run(sql`delete from matriarch.connection_leases`);
    const house = await collecting(store.url);
    onTestFinished(async () => {
      await house.stop();
      await database.close();
    });
    const id = await house.connect(server, { database: database.name });
    const collector = house.start({ probes: [sqlProbe(PROBE)] });
    const texts = () =>
      store.db.rows<{ query_text: string }>(sql`
        select q.query_text from metrics.queries q
        where q.connection_id = ${id} and q.database_name = ${database.name}`);
    await expect
      .poll(async () => (await texts()).map(({ query_text }) => query_text), { timeout: 90_000 })
      .toContain('select id from orders where id = $1');
    await collector.stop();
    await store.db.run(sql`
      update matriarch.connections set deleted_at = now() - interval '1 minute', is_monitored = false
      where id = ${id}`);
    await purgeDeleted({ db: store.db, signal: new AbortController().signal, slice: 3 });
    expect(await texts()).toEqual([]);
  });

  it('that nobody has run for long are forgotten', async () => {
    for (const [queryid, days] of [
      [1, 99],
      [2, 101],
    ])
      await store.db.run(sql`
        insert into metrics.queries (connection_id, database_name, queryid, userid, toplevel, query_text, last_seen)
        values (1, 'shop', ${queryid}, 10, true, 'select', now() - make_interval(days => ${days}))`);
    await purgeDeleted({ db: store.db, signal: new AbortController().signal });
    expect((await kept()).map(({ queryid }) => queryid)).toEqual(['1']);
  });
});

// What is kept quiet now, as the alerter and delivery ask: each scope covers what is below it, in one statement.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { blackoutsInForce } from './in-force.service.ts';

const NOW = Date.parse('2026-05-02T12:00:00Z');
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString();

let test: TestDatabase;
let own: number;
let sibling: number;
let cousin: number;
let lone: number;
let cluster: number;
let group: number;
beforeAll(async () => {
  test = await testDatabase();
  const { user_id } = await makeUser(test.db);
  const make = () => makeConnection(test.db, { owner_id: user_id });
  [own, sibling, cousin, lone] = [await make(), await make(), await make(), await make()];
  const id = async (statement: Parameters<typeof test.db.one>[0]) =>
    (await test.db.one<{ id: number }>(statement)).id;
  group = await id(sql`/* test.group */
    insert into matriarch.cluster_groups (name) values ('production') returning id`);
  cluster = await id(sql`/* test.cluster */
    insert into matriarch.clusters (name, group_id) values ('orders', ${group}) returning id`);
  const other = await id(sql`/* test.cluster */
    insert into matriarch.clusters (name, group_id) values ('billing', ${group}) returning id`);
  await test.db.run(sql`/* test.join */
    update matriarch.connections
    set cluster_id = case when id = ${cousin} then ${other}::int else ${cluster}::int end
    where id in (${own}, ${sibling}, ${cousin})`);
});
afterAll(() => test.close());
beforeEach(() => test.db.run(sql`/* test.clear */ delete from matriarch.blackouts`));

interface Quiet {
  scope: string;
  scope_id?: number;
  database?: string;
  from?: number;
  to?: number;
}

async function quiet({ scope, scope_id, database, from = -10, to = 50 }: Quiet): Promise<number> {
  const { id } = await test.db.one<{ id: number }>(sql`/* test.quiet */
    insert into matriarch.blackouts (scope, scope_id, database_name, reason, start_time, end_time, created_by, created_at)
    values (${scope}, ${scope_id ?? null}::int, ${database ?? null}::text, 'Why.', ${at(from)}::timestamptz,
      ${at(to)}::timestamptz, 'ada', now())
    returning id`);
  return id;
}

/** Which blackout covers each of the servers, as a whole. */
async function covered(now = NOW): Promise<(number | undefined)[]> {
  const inForce = await blackoutsInForce(test.db, now);
  return [own, sibling, cousin, lone].map((id) => inForce.covers(id)?.id);
}

const none = undefined;

it('each scope covers what is below it, and nothing else', async () => {
  expect(await covered()).toEqual([none, none, none, none]);
  const server = await quiet({ scope: 'server', scope_id: own, to: 10 });
  expect(await covered()).toEqual([server, none, none, none]);
  const ofCluster = await quiet({ scope: 'cluster', scope_id: cluster, to: 20 });
  expect(await covered()).toEqual([ofCluster, ofCluster, none, none]);
  const ofGroup = await quiet({ scope: 'group', scope_id: group, to: 30 });
  expect(await covered()).toEqual([ofGroup, ofGroup, ofGroup, none]);
  const estate = await quiet({ scope: 'estate', to: 40 });
  expect(await covered()).toEqual([estate, estate, estate, estate]);
});

it('a server of no cluster is in the group that is there for those', async () => {
  const { id } = await test.db.one<{ id: number }>(sql`/* test.default */
    select id from matriarch.cluster_groups where is_default`);
  const ofGroup = await quiet({ scope: 'group', scope_id: id });
  expect(await covered()).toEqual([none, none, none, ofGroup]);
});

it('is in force from its start until before its end', async () => {
  const id = await quiet({ scope: 'server', scope_id: own, from: 0, to: 10 });
  const of = async (now: number) => (await covered(now))[0];
  expect([await of(NOW - 1), await of(NOW), await of(NOW + 600_000 - 1), await of(NOW + 600_000)]).toEqual([
    none,
    id,
    id,
    none,
  ]);
});

it('one of a database covers that one, and not what is said of its server', async () => {
  const id = await quiet({ scope: 'server', scope_id: own, database: 'orders' });
  const inForce = await blackoutsInForce(test.db, NOW);
  expect(inForce.covers(own, 'orders')).toEqual({ id, reason: 'Why.', end_time: at(50) });
  expect([inForce.covers(own), inForce.covers(own, 'billing'), inForce.covers(sibling, 'orders')]).toEqual([
    none,
    none,
    none,
  ]);
  const estate = await quiet({ scope: 'estate', to: 20 });
  const both = await blackoutsInForce(test.db, NOW);
  expect([both.covers(own, 'orders')?.id, both.covers(own, 'billing')?.id]).toEqual([id, estate]);
});

it('asks once, however many overlap, and says the one that lasts longest', async () => {
  for (let to = 1; to <= 20; to += 1) await quiet({ scope: 'estate', to });
  const last = await quiet({ scope: 'estate', to: 100 });
  const counted = countedDb(test.db);
  const inForce = await blackoutsInForce(counted, NOW);
  expect(counted.sent).toHaveLength(1);
  expect(inForce.covers(lone)).toMatchObject({ id: last, end_time: at(100) });
});

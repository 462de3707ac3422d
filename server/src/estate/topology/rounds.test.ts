// Rounds of detection against the datastore: one process at a time, nothing written when nothing changed, and what
// people said of clusters and members stays.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findConnectionAccess } from '../../identity/access/access.queries.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { collected, reported } from '../../testing/store/collected.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { rename, seen, seenRelations, seenRows } from '../../testing/store/topology-seen.ts';
import { claimRound, finishRound } from './topology.queries.ts';
import { detectIfDue } from './topology.service.ts';

let store: TestDatabase;
let owner = 0;
beforeAll(async () => {
  store = await testDatabase();
  owner = (await makeUser(store.db)).user_id;
});
afterAll(() => store.close());
beforeEach(async () => {
  await store.db.run(sql`/* test.clear */ truncate matriarch.connections, matriarch.connection_states,
    matriarch.connection_leases, matriarch.clusters, matriarch.cluster_relationships, matriarch.topology_nodes,
    matriarch.topology_clusters, matriarch.topology_labels, matriarch.jobs, metrics.current_snapshots, metrics.facts
    restart identity cascade`);
  await store.db.run(sql`/* test.clear_grants */ delete from matriarch.group_scopes`);
});

const options = (more: object = {}) => ({
  db: store.db,
  log: silentLog,
  owner: 'me',
  every_seconds: 0,
  ...more,
});
const round = () => detectIfDue(options());

interface Said {
  in_recovery?: boolean;
  timeline?: number;
  upstream?: number;
  system?: string;
}

/** What the server at port 5000 + id was found to be. */
async function says(id: number, { in_recovery = false, timeline = 1, upstream, system = 'x' }: Said = {}) {
  const role = {
    is_in_recovery: in_recovery,
    timeline_id: timeline,
    postmaster_start_time: `2026-01-01T00:00:00.${100 + id}Z`,
    upstream_host: upstream === undefined ? null : 'db.example',
    upstream_port: upstream === undefined ? null : 5000 + upstream,
    binary_standby_count: 0,
    role_details: {},
  };
  const server = { system_identifier: system, server_version: '18.1', cluster_name: '' };
  await collected(
    store.db,
    { connection_id: id, probe: 'pg_node_role', rows: [role] },
    { connection_id: id, probe: 'pg_server_info', rows: [server], history_by: [] },
  );
  await reported(store.db, id, null);
  await store.db.run(sql`/* test.connected */
    update matriarch.connection_states set last_connected_at = now() where connection_id = ${id}`);
}

async function server(name: string, said?: Said): Promise<number> {
  const id = await makeConnection(store.db, { owner_id: owner });
  await store.db.run(sql`/* test.place */
    update matriarch.connections
    set host = 'db.example', port = ${5000 + id}, is_monitored = true
    where id = ${id}`);
  await rename(store.db, id, name);
  if (said) await says(id, said);
  return id;
}

/** A primary and a standby, detected. */
async function pair(name = 'a'): Promise<[number, number]> {
  const first = await server(`${name}-1`, {});
  const second = await server(`${name}-2`, { in_recovery: true, upstream: first });
  await round();
  return [first, second];
}

const versions = () =>
  store.db.rows<{ version: string }>(sql`/* test.versions */
    select t.version
    from (
      select 'node ' || connection_id || ' ' || xmin as version from matriarch.topology_nodes
      union all select 'cluster ' || cluster_key || ' ' || xmin from matriarch.topology_clusters
      union all select 'stored ' || id || ' ' || xmin from matriarch.clusters
      union all select 'connection ' || id || ' ' || xmin from matriarch.connections
      union all select 'relationship ' || id || ' ' || xmin from matriarch.cluster_relationships
    ) t
    order by 1`);

describe('a round', () => {
  it('stores what it found, and nothing when it is the same again', async () => {
    const [first, second] = await pair();
    const alone = await server('b');
    expect(await round()).toEqual({ servers: 3, clusters: 2, moved: 1, changed: true });
    expect(await seen(store.db)).toEqual({
      [`binary:${first}`]: 'binary: a-1(a-2)',
      [`standalone:${alone}`]: 'server: b',
    });
    expect(await seenRelations(store.db)).toEqual(['a-2 streams_from a-1']);
    expect(await seenRows(store.db)).toMatchObject([{ name: 'a', servers: ['a-1', 'a-2'] }]);
    const before = await versions();
    expect(await round()).toEqual({ servers: 3, clusters: 2, moved: 0, changed: false });
    expect(await versions()).toEqual(before);
    await reported(store.db, second, 'The server does not answer.');
    expect(await round()).toMatchObject({ changed: false });
  });

  it('asks nine statements when nothing is new, however many servers there are', async () => {
    await pair();
    const db = countedDb(store.db);
    expect(await detectIfDue(options({ db }))).toMatchObject({ changed: false });
    const names = db.sent.map((text) => /\/\* (\S+) \*\//.exec(text)?.[1]);
    const reads = ['facts', 'nodes', 'clusters', 'stored', 'labels', 'relationships'];
    expect(names).toEqual([
      'jobs.claim',
      ...reads.map((name) => `topology.${name}`),
      'jobs.finish',
      'topology.note_receivers',
    ]);
  });

  it('is over at once for a process that has seen the same before', async () => {
    const [first, second] = await pair();
    const last = {};
    const asked = async () => {
      const db = countedDb(store.db);
      const report = await detectIfDue(options({ db, last }));
      return { changed: report?.changed, servers: report?.servers, statements: db.sent.length };
    };
    const whole = { changed: false, servers: 2, statements: 10 };
    const short = { changed: false, servers: 2, statements: 1 };
    expect([await asked(), await asked()]).toEqual([whole, short]);
    await store.db.run(sql`/* test.hide */ update matriarch.clusters set dismissed = true`);
    expect([await asked(), await asked()]).toEqual([whole, short]);
    await rename(store.db, first, 'b-1');
    expect(await asked()).toMatchObject({ servers: 2, statements: expect.not.closeTo(1) });
    await says(first, { timeline: 2 });
    expect((await asked()).statements).toBeGreaterThan(1);
    // A standby that lost its receiver is noted though nothing else is different.
    await asked();
    expect(await asked()).toMatchObject({ statements: 1 });
    await collected(store.db, {
      connection_id: second,
      probe: 'pg_stat_replication',
      rows: [{ role: 'standby', pid: 0 }],
    });
    const since = () =>
      store.db.rows(sql`/* test.since */
        select connection_id from matriarch.topology_nodes where receiver_missing_since is not null`);
    expect(await since()).toEqual([]);
    expect((await asked()).statements).toBeGreaterThan(1);
    expect(await since()).toEqual([{ connection_id: second }]);
    expect([await asked(), await asked()]).toMatchObject([{}, { statements: 1 }]);
  });

  it('writes only the server that was read again', async () => {
    const [, second] = await pair();
    const before = await versions();
    await says(second, { in_recovery: true, upstream: second - 1 });
    expect(await round()).toMatchObject({ changed: true, moved: 0 });
    const after = await versions();
    const changed = after.filter(({ version }) => !before.some((one) => one.version === version));
    expect(changed.map(({ version }) => version.split(' ').slice(0, 2).join(' '))).toEqual([
      `node ${second}`,
    ]);
  });

  it('forgets what was deleted, and the row that nobody wanted with its last server', async () => {
    const [first, second] = await pair();
    await store.db.run(
      sql`/* test.delete */ update matriarch.connections set deleted_at = now() where id = ${second}`,
    );
    await round();
    expect(await seen(store.db)).toEqual({ [`standalone:${first}`]: 'server: a-1' });
    expect(await seenRelations(store.db)).toEqual([]);
    // It stays with the server that is left, under the key of that one.
    expect(await seenRows(store.db)).toMatchObject([
      { auto_cluster_key: `standalone:${first}`, servers: ['a-1'] },
    ]);
    const [third] = await pair('b');
    await store.db.run(
      sql`/* test.delete */ update matriarch.connections set deleted_at = now() where id >= ${third}`,
    );
    await round();
    expect(await seenRows(store.db)).toHaveLength(1);
    expect(await round()).toMatchObject({ changed: false });
  });
});

describe('what people said', () => {
  it('a pinned server stays where it was put, one given back goes where it belongs', async () => {
    const [first, second] = await pair();
    const pin = (membership: 'manual' | 'auto') =>
      store.db.run(sql`/* test.pin */
        update matriarch.connections
        set membership_source = ${membership}, cluster_id = case when ${membership}::text = 'manual' then null else cluster_id end
        where id = ${second}`);
    await pin('manual');
    expect(await round()).toMatchObject({ changed: false });
    expect(await seenRows(store.db)).toMatchObject([{ servers: ['a-1'] }]);
    expect(await seen(store.db)).toEqual({ [`binary:${first}`]: 'binary: a-1(a-2)' });
    await pin('auto');
    await round();
    expect(await seenRows(store.db)).toMatchObject([{ servers: ['a-1', 'a-2'] }]);
  });

  it('a cluster that was hidden stays hidden, through a failover too', async () => {
    const [first, second] = await pair();
    await store.db.run(sql`/* test.dismiss */ update matriarch.clusters set dismissed = true`);
    expect(await round()).toMatchObject({ changed: false });
    await reported(store.db, first, 'The server does not answer.');
    await says(second, { timeline: 2 });
    await round();
    expect(await seenRows(store.db)).toMatchObject([
      { auto_cluster_key: `binary:${second}`, dismissed: true, servers: ['a-1', 'a-2'] },
    ]);
    expect(await seen(store.db)).toEqual({ [`binary:${second}`]: 'binary: a-1 a-2' });
  });

  it('a name follows the servers until somebody gives one', async () => {
    const [first, second] = await pair();
    await rename(store.db, first, 'shop-1');
    await rename(store.db, second, 'shop-2');
    await round();
    expect(await seenRows(store.db)).toMatchObject([{ name: 'shop' }]);
    await store.db.run(
      sql`/* test.name */ update matriarch.clusters set name = 'Mine', named_by_hand = true`,
    );
    await rename(store.db, first, 'other-1');
    await round();
    expect(await seenRows(store.db)).toMatchObject([{ name: 'Mine' }]);
  });

  it('a row of a lone server becomes the row of the cluster that it leads', async () => {
    const first = await server('a-1', {});
    await round();
    await store.db.run(sql`/* test.store */
      insert into matriarch.clusters (name, description, named_by_hand, auto_cluster_key)
      values ('Mine', 'Kept', true, ${`standalone:${first}`})`);
    await round();
    expect(await seenRows(store.db)).toMatchObject([{ servers: ['a-1'] }]);
    await server('a-2', { in_recovery: true, upstream: first });
    await round();
    expect(await seenRows(store.db)).toMatchObject([
      { name: 'Mine', description: 'Kept', auto_cluster_key: `binary:${first}`, servers: ['a-1', 'a-2'] },
    ]);
  });

  it('no row is made for a cluster whose servers are all pinned elsewhere', async () => {
    const first = await server('a-1', {});
    await server('a-2', { in_recovery: true, upstream: first });
    await store.db.run(sql`/* test.pin */ update matriarch.connections set membership_source = 'manual'`);
    await round();
    expect(await seenRows(store.db)).toEqual([]);
    expect(await round()).toMatchObject({ changed: false });
  });

  it('a relationship that somebody made stays', async () => {
    const [first, second] = await pair();
    await store.db.run(sql`/* test.relate */
      insert into matriarch.cluster_relationships (
        source_connection_id, target_connection_id, relationship_type, is_auto_detected
      ) values (${first}, ${second}, 'replicates_with', false)`);
    expect(await round()).toMatchObject({ changed: false });
  });
});

describe('the turn', () => {
  it('is one at a time, and not before it is due', async () => {
    const all = await Promise.all(['a', 'b', 'c'].map((one) => claimRound(store.db, one, 0)));
    expect(all.filter((epoch) => epoch !== undefined)).toEqual([1]);
    expect(await round()).toBeUndefined();
    await finishRound(store.db, 1, {});
    expect(await detectIfDue(options({ every_seconds: 60 }))).toBeUndefined();
    expect(await round()).toBeDefined();
  });

  it('passes on when its lease has run out, and whoever slept through it writes nothing', async () => {
    await server('a-1', {});
    const slept = await claimRound(store.db, 'sleeper', 0);
    await store.db.run(sql`/* test.expire */ update matriarch.jobs set expires_at = now()`);
    expect(await round()).toMatchObject({ changed: true });
    expect(await finishRound(store.db, slept ?? 0, {})).toBe(0);
  });

  it('is given back when the round fails', async () => {
    await server('a-1', {});
    await store.db.run(sql`/* test.break */ alter table matriarch.topology_nodes rename to gone`);
    await expect(round()).rejects.toThrow('topology_nodes');
    await store.db.run(sql`/* test.mend */ alter table matriarch.gone rename to topology_nodes`);
    expect(await round()).toMatchObject({ changed: true });
  });

  it('a server that answers nonsense changes nothing for the others', async () => {
    const [first] = await pair();
    const odd = await server('odd');
    const role_details = { standbys: 'x', subscriptions: [1, null, { name: {} }], logical_slots: { a: 1 } };
    await collected(store.db, {
      connection_id: odd,
      probe: 'pg_node_role',
      rows: [{ is_in_recovery: false, timeline_id: 'NaN', spock_node_id: [], role_details }],
    });
    await round();
    expect(await seen(store.db)).toEqual({
      [`binary:${first}`]: 'binary: a-1(a-2)',
      [`standalone:${odd}`]: 'server: odd',
    });
  });
});

describe('access to a cluster', () => {
  /** A user who was granted the cluster of these servers, and their level on a server. */
  async function granted(servers: readonly number[]) {
    const { user_id, username } = await makeUser(store.db);
    const { id } = await store.db.one<{ id: number }>(sql`/* test.cluster_of */
      select cluster_id as id from matriarch.connections where id = ${servers[0]}`);
    await makeGroup(store.db, { users: [user_id], clusters: { [id]: 'read' } });
    await store.db.run(sql`/* test.admitted_as */
      update matriarch.access_members am set system_identifier = n.system_identifier
      from matriarch.topology_nodes n where n.connection_id = am.connection_id`);
    const common = { is_superuser: false, admin_permissions: [], scope: undefined } as const;
    const principal = { user_id, username, ...common, via: { kind: 'session', id: 1 } } as const;
    return async (server: number) => (await findConnectionAccess(store.db, principal, server)).level;
  }

  it('reaches a standby that detection finds later, and ends when it leaves', async () => {
    const [first, second] = await pair();
    const level = await granted([first, second]);
    const third = await server('a-3', { in_recovery: true, upstream: first });
    expect([await level(first), await level(second), await level(third)]).toEqual([1, 1, 0]);
    await round();
    expect(await level(third)).toBe(1);
    const audited = await store.db.rows(sql`/* test.audited */
      select actor_name, target_id, details from matriarch.audit_events where action = 'cluster.admit_server'`);
    expect(audited).toEqual([
      {
        actor_name: 'system: server',
        target_id: String(third),
        details: { cluster_id: expect.any(Number), cluster_name: 'a' },
      },
    ]);
    await says(third, { timeline: 2, system: 'y' });
    await round();
    expect(await level(third)).toBe(0);
    expect(await level(second)).toBe(1);
    await says(third, { in_recovery: true, upstream: first });
    await round();
    expect(await level(third)).toBe(1);
  });

  it('follows a failover', async () => {
    const [first, second] = await pair();
    const level = await granted([first, second]);
    await says(second, { timeline: 2 });
    await says(first, { in_recovery: true, upstream: second, timeline: 2 });
    await round();
    expect(await seenRows(store.db)).toMatchObject([{ servers: ['a-1', 'a-2'] }]);
    expect([await level(first), await level(second)]).toEqual([1, 1]);
  });

  it('is not gained over a server by a member that claims to be its standby, with its identifier even', async () => {
    const [first, second] = await pair();
    const level = await granted([first, second]);
    const victim = await server('payroll', { system: 'of payroll' });
    await round();
    await says(second, { in_recovery: true, upstream: victim, system: 'of payroll' });
    await says(first, { in_recovery: true, upstream: victim, system: 'of payroll' });
    await round();
    const { id } = await store.db.one<{ id: number | null }>(sql`/* test.cluster_of */
      select cluster_id as id from matriarch.connections where id = ${victim}`);
    const { granted_id } = await store.db.one<{ granted_id: number }>(sql`/* test.granted */
      select scope_id as granted_id from matriarch.group_scopes`);
    // The claim moves the granted cluster to the victim, as a failover would.
    expect(id).toBe(granted_id);
    expect(await level(victim)).toBe(0);
  });
});

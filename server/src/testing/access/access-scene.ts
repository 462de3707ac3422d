// A world of people, groups and connections that exists twice: in the tables, and as the plain data that the model of
// access reads. Whatever a test adds goes into both.
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import {
  clusterSeen,
  emptyWorld,
  groupRights,
  levelOn,
  type ModelCaller,
  type ModelScope,
  moveInModel,
  type World,
} from './access-model.ts';
import { type Actor, makeToken } from './actors.ts';
import { type GroupOptions, makeGroup } from './groups.ts';

/** A private connection with everything around it, each thing with a name that is found nowhere else. */
export interface Surroundings {
  target: number;
  name: string;
  owner: Actor;
  cluster: number;
  cluster_group: number;
  /** One that is active on the connection. */
  alert: number;
  finding: number;
  /** The owner's. */
  conversation: string;
  chat_run: string;
  memory: number;
  'ai-run': number;
  'log-search': number;
  /** A blackout and a schedule of each scope, by the scope. */
  blackouts: Quiet;
  schedules: Quiet;
}

/** Ids by scope. */
export type Quiet = Readonly<Record<'estate' | 'group' | 'cluster' | 'server', number>>;

export interface Scene {
  db: Db;
  world: World;
  user(options?: { is_superuser?: boolean }): Promise<Actor>;
  group(options?: GroupOptions): Promise<number>;
  surroundings(options?: { is_shared?: boolean; deleted?: boolean }): Promise<Surroundings>;
  token(userId: number, scope?: ModelScope): Promise<string>;
  /** An access token of a sign-in provider; there where the API trusts one. */
  providerToken?: (userId: number) => Promise<string>;
  /** Puts a server into another cluster, as detection does. */
  move(connectionId: number, clusterId: number): Promise<void>;
  /** Every name that must not show to those who cannot see what bears it. */
  secrets: Secret[];
  /** Answers a way back to how the scene is now, in the tables too. */
  mark(): Promise<() => Promise<void>>;
}

export interface Secret {
  name: string;
  seenBy(caller: ModelCaller): boolean;
}

/** Whatever was made after the mark, by whomever. Connections first: their owners cannot go before them. */
const KEPT_UP_TO = [
  'alerts',
  'findings',
  'blackouts',
  'blackout_schedules',
  'connections',
  'clusters',
  'cluster_groups',
  'groups',
  'users',
] as const;

async function markOf({ db, world, secrets }: Scene): Promise<() => Promise<void>> {
  const newest = KEPT_UP_TO.map(
    (table) => `(select coalesce(max(id), 0) from matriarch.${table}) as ${table}`,
  );
  const marked = { text: `/* test.mark */ select ${newest.join(', ')}`, values: [] };
  const last = await db.one<Record<(typeof KEPT_UP_TO)[number], number>>(marked);
  const count = secrets.length;
  const maps: Map<number, unknown>[] = Object.values(world);
  const keys = maps.map((map) => new Set(map.keys()));
  return async () => {
    const deletions = KEPT_UP_TO.map((table) => `delete from matriarch.${table} where id > ${last[table]}`);
    await db.run({ text: `/* test.forget */ ${deletions.join('; ')}`, values: [] });
    secrets.length = count;
    for (const [index, map] of maps.entries())
      for (const key of map.keys()) if (!keys[index]?.has(key)) map.delete(key);
  };
}

interface MadeSurroundings {
  user_id: number;
  username: string;
  target: number;
  cluster: number;
  cluster_group: number;
}

/** One of each scope, in force for an hour. */
async function makeQuiet(db: Db, { target, cluster, cluster_group }: MadeSurroundings) {
  const ids = { estate: null, group: cluster_group, cluster, server: target };
  const places = JSON.stringify(Object.entries(ids).map(([scope, scope_id]) => ({ scope, scope_id })));
  const { blackouts, schedules } = await db.one<{ blackouts: Quiet; schedules: Quiet }>(sql`/* test.quiet */
    with place as (
      select * from jsonb_to_recordset(${places}::jsonb) as p (scope text, scope_id integer)),
    quiet as (
      insert into matriarch.blackouts (scope, scope_id, start_time, end_time, created_by, created_at)
      select p.scope, p.scope_id, now() - interval '1 hour', now() + interval '1 hour', 'nobody', now()
      from place p returning id, scope),
    planned as (
      insert into matriarch.blackout_schedules (scope, scope_id, name, cron_expression, duration_minutes, timezone,
        since, created_by, created_at, updated_at)
      select p.scope, p.scope_id, 'quiet', '0 2 * * *', 60, 'UTC', now(), 'nobody', now(), now()
      from place p returning id, scope)
    select
      (select jsonb_object_agg(q.scope, q.id) from quiet q) as blackouts,
      (select jsonb_object_agg(p.scope, p.id) from planned p) as schedules`);
  return { blackouts, schedules };
}

async function makeAlert(db: Db, connectionId: number): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* test.alert */
    insert into matriarch.alerts (
      alert_type, raised_by, connection_id, severity, title, description, triggered_at, last_updated
    )
    values ('connection', 'connection', ${connectionId}, 'critical', 'Away', 'It does not answer.', now(), now())
    returning id`);
  return id;
}

async function makeFinding(db: Db, connectionId: number): Promise<number> {
  const { id } = await db.one<{ id: number }>(sql`/* test.finding */
    insert into matriarch.findings (
      connection_id, check_name, severity, message, evidence, remedy, proof, first_seen_at, opened_at, figured_at, last_seen_at
    )
    values (${connectionId}, 'fsync_off', 'critical', 'fsync is off.', '{}', '', 'stated', now(), now(), now(), now())
    returning id`);
  return id;
}

const random = () => randomBytes(6).toString('hex');

type OwnThings = Pick<Surroundings, 'conversation' | 'chat_run' | 'memory' | 'ai-run' | 'log-search'>;

/** A conversation, a run of the chat, a memory, a call of a model and a saved search of somebody's own. */
async function makeOwnThings(db: Db, userId: number): Promise<OwnThings> {
  return db.one(sql`/* test.own_things */
    with talk as (
      insert into matriarch.conversations (id, user_id, title, preview, asked, messages, created_at, updated_at)
      values (${`conv_1_${random()}`}, ${userId}, 'Why?', 'Why?', 'Why?', '[]', now(), now())
      returning id),
    note as (
      insert into matriarch.memories (
        owner_id, username, scope, category, content, pinned, model_name, created_at, updated_at
      )
      values (${userId}, 'x', 'user', 'preference', 'In UTC.', false, 'none', now(), now())
      returning id),
    run as (
      insert into matriarch.chat_runs (id, user_id, conversation_id, state, expires_at, started_at, ended_at)
      select ${`run_1_${random()}`}, ${userId}::int, talk.id, 'done', now(), now(), now() from talk
      returning id),
    call as (
      insert into matriarch.model_calls (
        user_id, purpose, kind, provider, model, state, day, reserved_tokens, request_bytes, masked, answer_bytes,
        is_estimated, started_at
      )
      values (${userId}, 'proxy', 'chat', 'ollama', 'm', 'done', current_date, 0, 0, '{}', 0, false, now())
      returning id),
    search as (
      insert into matriarch.log_searches (user_id, name, filter, created_at)
      values (${userId}, ${`search ${random()}`}, '{"severity": "ERROR"}', now())
      returning id)
    select talk.id as conversation, note.id as memory, run.id as chat_run, call.id as "ai-run", search.id as "log-search"
    from talk, note, run, call, search`);
}

function newSession(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: createHash('sha256').update(token).digest() };
}

const NAMES = /(?:SERVER|CLUSTER|GROUP)-[0-9a-f]{12}/g;

/** Those of a scene's secrets that a text contains. */
export function secretsIn(scene: Scene, text: string): Secret[] {
  const names = new Set(text.match(NAMES));
  return names.size === 0 ? [] : scene.secrets.filter(({ name }) => names.has(name));
}

const levelOf = (level: 'read' | 'read_write') => (level === 'read' ? 1 : 2);

export function emptyScene(db: Db): Scene {
  const world = emptyWorld();
  const secrets: Secret[] = [];
  const scene: Scene = {
    db,
    world,
    secrets,
    async user({ is_superuser = false } = {}) {
      const { token, hash } = newSession();
      const made = await db.one<Omit<Actor, 'session'>>(sql`/* test.person */
        with person as (
          insert into matriarch.users (username, is_superuser)
          values (${`person-${random()}`}, ${is_superuser}::boolean) returning id, username),
        signed_in as (
          insert into matriarch.sessions (token_hash, user_id, expires_at)
          select ${hash}::bytea, person.id, now() + interval '1 day' from person)
        select id as user_id, username from person`);
      world.users.set(made.user_id, { is_superuser });
      return { ...made, session: token };
    },
    async group(options = {}) {
      const id = await makeGroup(db, options);
      const levels = (held: GroupOptions['connections'] = {}) =>
        new Map(Object.entries(held).map(([key, level]) => [Number(key), levelOf(level)] as const));
      world.groups.set(id, {
        users: new Set(options.users),
        groups: new Set(options.groups),
        connections: levels(options.connections),
        clusters: levels(options.clusters),
        cluster_groups: levels(options.cluster_groups),
        permissions: new Set(options.permissions),
      });
      return id;
    },
    async surroundings({ is_shared = false, deleted = false } = {}) {
      const [name, clusterName, groupName] = [
        `SERVER-${random()}`,
        `CLUSTER-${random()}`,
        `GROUP-${random()}`,
      ];
      const { token, hash } = newSession();
      const made = await db.one<MadeSurroundings>(sql`/* test.surroundings */
        with person as (insert into matriarch.users (username) values (${`owner-${random()}`}) returning id, username),
        signed_in as (
          insert into matriarch.sessions (token_hash, user_id, expires_at)
          select ${hash}::bytea, person.id, now() + interval '1 day' from person),
        shelf as (
          insert into matriarch.cluster_groups (name, owner_id)
          select ${groupName}::text, person.id from person returning id),
        herd as (
          insert into matriarch.clusters (name, group_id) select ${clusterName}::text, shelf.id from shelf returning id),
        server as (
          insert into matriarch.connections (owner_id, name, host, port, database_name, username, is_shared,
            cluster_id, membership_source, deleted_at)
          select person.id, ${name}::text, '127.0.0.1', 9, 'postgres', 'nobody', ${is_shared}::boolean, herd.id,
            'manual', case when ${deleted}::boolean then now() end
          from person, herd returning id)
        select person.id as user_id, person.username, server.id as target, herd.id as cluster, shelf.id as cluster_group
        from person, server, herd, shelf`);
      const { target, cluster, cluster_group } = made;
      const alert = await makeAlert(db, target);
      const finding = await makeFinding(db, target);
      const things = await makeOwnThings(db, made.user_id);
      const owner = { user_id: made.user_id, username: made.username, session: token };
      world.users.set(owner.user_id, { is_superuser: false });
      world.connections.set(target, { owner_id: owner.user_id, is_shared, deleted });
      world.clusters.set(cluster, { servers: [target] });
      world.cluster_groups.set(cluster_group, { owner_id: owner.user_id, clusters: [cluster] });
      secrets.push(
        { name, seenBy: (caller) => levelOn(world, caller, target) > 0 },
        { name: clusterName, seenBy: (caller) => clusterSeen(world, caller, cluster) },
        { name: groupName, seenBy: (caller) => groupRights(world, caller, cluster_group).seen },
      );
      const own = { target, name, owner, cluster, cluster_group, alert, finding, ...things };
      return { ...own, ...(await makeQuiet(db, made)) };
    },
    async move(connectionId, clusterId) {
      await db.run(sql`/* test.move */
        update matriarch.connections set cluster_id = ${clusterId} where id = ${connectionId}`);
      moveInModel(world, connectionId, clusterId);
    },
    token: (userId, scope) => makeToken(db, userId, scope ? { scope } : {}),
    mark: () => markOf(scene),
  };
  return scene;
}

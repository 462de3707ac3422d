// Every kind of override keeps the same promises, on the datastore itself: the most specific one wins whole, in every
// combination of levels; it is never left behind; a value that is set already is not written again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sql, sql } from '../../kernel/sql.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import {
  dropOverride,
  hierarchyOf,
  type OverrideKey,
  type OverrideKind,
  type OverrideValues,
  overrideAt,
  putOverride,
  reachingOverrides,
} from './overrides.queries.ts';
import type { ScopeKind } from './scopes.schemas.ts';
import { forgetScope } from './scopes.service.ts';

type ScopeIds = Record<ScopeKind, number>;
type Row = Record<string, unknown>;

interface Case<K extends OverrideKind> {
  kind: K;
  table: Sql;
  /** The column that names the subject. */
  column: Sql;
  make(): Promise<OverrideKey<K>['subject']>;
  values: Record<ScopeKind, OverrideValues<K>>;
  /** What holds for a server, and what that is where nothing is set. */
  inForce(server: number, subject: OverrideKey<K>['subject']): Promise<Row | undefined>;
  unset: Row | undefined;
}

const LEVELS = ['server', 'cluster', 'group'] as const;
const COMBINATIONS = Array.from(
  { length: 8 },
  (_, bits) => [LEVELS.filter((_level, at) => bits & (1 << at))] as const,
);

let test: TestDatabase;
let owner_id: number;
let made = 0;
beforeAll(async () => {
  test = await testDatabase();
  ({ user_id: owner_id } = await makeUser(test.db));
});
afterAll(() => test.close());

async function place(): Promise<ScopeIds> {
  made += 1;
  const { group } = await test.db.one<{ group: number }>(sql`/* test.group */
    insert into matriarch.cluster_groups (name, is_shared) values (${`group ${made}`}, true) returning id as group`);
  const { cluster } = await test.db.one<{ cluster: number }>(sql`/* test.cluster */
    insert into matriarch.clusters (group_id, name) values (${group}, ${`cluster ${made}`}) returning id as cluster`);
  const server = await makeConnection(test.db, { owner_id });
  await test.db.run(
    sql`/* test.join */ update matriarch.connections set cluster_id = ${cluster} where id = ${server}`,
  );
  return { server, cluster, group };
}

const probe: Case<'probe'> = {
  kind: 'probe',
  table: sql`matriarch.probe_overrides`,
  column: sql`probe_name`,
  async make() {
    made += 1;
    const { name } = await test.db.one<{ name: string }>(sql`/* test.probe */
      insert into matriarch.probe_configs (probe_name, default_interval_seconds, default_retention_days)
      values (${`probe_${made}`}, 30, 7) returning probe_name as name`);
    return name;
  },
  values: {
    server: { is_enabled: false, interval_seconds: 11, retention_days: 1 },
    cluster: { is_enabled: true, interval_seconds: 22, retention_days: 2 },
    group: { is_enabled: false, interval_seconds: 33, retention_days: 3 },
  },
  inForce: (server, name) =>
    test.db.maybe<Row>(sql`/* test.probe_in_force */
      select e.is_enabled, e.interval_seconds, e.retention_days from matriarch.effective_probe_settings e
      where e.connection_id = ${server} and e.probe_name = ${name}`),
  unset: { is_enabled: true, interval_seconds: 30, retention_days: 7 },
};

const rule: Case<'rule'> = {
  kind: 'rule',
  table: sql`matriarch.alert_overrides`,
  column: sql`rule_id`,
  async make() {
    made += 1;
    const { id } = await test.db.one<{ id: number }>(sql`/* test.rule */
      insert into matriarch.alert_rules (name, built_operator, built_threshold, built_severity, built_enabled)
      values (${`rule_${made}`}, '>', 80, 'warning', true) returning id`);
    return id;
  },
  values: {
    server: { operator: '<', threshold: 1.5, severity: 'info', is_enabled: true },
    cluster: { operator: '==', threshold: 2, severity: 'critical', is_enabled: false },
    group: { operator: '>=', threshold: 0, severity: 'info', is_enabled: true },
  },
  inForce: (server, id) =>
    test.db.maybe<Row>(sql`/* test.rule_in_force */
      select e.operator, e.threshold, e.severity, e.is_enabled from matriarch.effective_alert_rules e
      where e.connection_id = ${server} and e.rule_id = ${id}`),
  unset: { operator: '>', threshold: 80, severity: 'warning', is_enabled: true },
};

const channel: Case<'channel'> = {
  kind: 'channel',
  table: sql`matriarch.channel_overrides`,
  column: sql`channel_id`,
  async make() {
    made += 1;
    const { id } = await test.db.one<{ id: number }>(sql`/* test.channel */
      insert into matriarch.notification_channels (name, channel_type, is_estate_default, config)
      values (${`channel ${made}`}, 'slack', true, '{}') returning id`);
    return id;
  },
  values: { server: { is_enabled: false }, cluster: { is_enabled: true }, group: { is_enabled: false } },
  inForce: (server, id) =>
    test.db.one<Row>(sql`/* test.channel_in_force */
      select exists (
        select from matriarch.connection_channels c where c.connection_id = ${server} and c.channel_id = ${id}
      ) as is_enabled`),
  unset: { is_enabled: true },
};

function promises<K extends OverrideKind>(name: string, of: Case<K>): void {
  const key = (at: ScopeIds, scope: ScopeKind, subject: OverrideKey<K>['subject']): OverrideKey<K> => ({
    kind: of.kind,
    scope,
    scope_id: at[scope],
    subject,
  });
  const put = (at: ScopeIds, scope: ScopeKind, subject: OverrideKey<K>['subject']) =>
    putOverride(test.db, key(at, scope, subject), of.values[scope]);

  describe(`overrides of ${name}`, () => {
    it.each(COMBINATIONS)('the most specific one wins whole: %j', async (levels) => {
      const [at, subject] = [await place(), await of.make()];
      expect(await of.inForce(at.server, subject)).toEqual(of.unset);
      for (const level of levels) expect(await put(at, level, subject)).toBe(true);
      const first = LEVELS.find((level) => levels.includes(level));
      expect(await of.inForce(at.server, subject)).toEqual(first ? of.values[first] : of.unset);
      const elsewhere = await place();
      expect(await of.inForce(elsewhere.server, subject)).toEqual(of.unset);
      const found = await test.db.maybe<Row>(sql`/* test.reaching */
        with place as ${hierarchyOf(at.server)}, reaching as ${reachingOverrides(of.kind)}
        select r.overrides from place join reaching r on r.${of.column} = ${subject}`);
      const expected = Object.fromEntries(levels.map((level) => [level, of.values[level]]));
      expect(found).toEqual(levels.length === 0 ? undefined : { overrides: expected });
    });

    it('each can be found, deleted once, and gives way to the next', async () => {
      const [at, subject] = [await place(), await of.make()];
      for (const level of LEVELS) await put(at, level, subject);
      for (const [index, level] of LEVELS.entries()) {
        const rows = await test.db.rows<Row>(sql`/* test.at */
          select o.scope, o.scope_id from ${of.table} s
          ${overrideAt(of.kind, { scope: level, scope_id: at[level] }, sql`s.${of.column}`)}
          where s.${of.column} = ${subject}
          limit 1`);
        expect(rows).toEqual([{ scope: level, scope_id: at[level] }]);
        expect(await dropOverride(test.db, key(at, level, subject))).toBe(1);
        expect(await dropOverride(test.db, key(at, level, subject))).toBe(0);
        const next = LEVELS[index + 1];
        expect(await of.inForce(at.server, subject)).toEqual(next ? of.values[next] : of.unset);
      }
    });

    it('a change is written, and the same values are not written again', async () => {
      const [at, subject] = [await place(), await of.make()];
      const written = async (values: OverrideValues<K>) => {
        await putOverride(test.db, key(at, 'server', subject), values);
        const { xmin } = await test.db.one<{ xmin: string }>(sql`/* test.written */
          select o.xmin::text from ${of.table} o where o.${of.column} = ${subject}`);
        return xmin;
      };
      const first = await written(of.values.server);
      expect(await written(of.values.server)).toBe(first);
      expect(await written(of.values.cluster)).not.toBe(first);
      expect(await of.inForce(at.server, subject)).toEqual(of.values.cluster);
    });

    it.each(LEVELS)('goes with its %s, and is not set for one that is gone', async (scope) => {
      const [at, subject] = [await place(), await of.make()];
      await put(at, scope, subject);
      await forgetScope(test.db, scope, [at[scope]]);
      expect(await dropOverride(test.db, key(at, scope, subject))).toBe(0);
      const gone = { server: 2_000_000_000, cluster: 2_000_000_000, group: 2_000_000_000 };
      expect(await put(gone, scope, subject)).toBe(false);
    });
  });
}

promises('probes', probe);
promises('alert rules', rule);
promises('channels', channel);

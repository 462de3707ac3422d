// What holds of every estate, whatever its servers say: laws of detection over made-up facts, broken ones too.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  at,
  NO_MEMORY,
  primary,
  remembered,
  server,
  standby,
  subscription,
} from '../../testing/store/topology-facts.ts';
import { detect } from './detect.ts';
import type { Detection, Memory, NodeFacts } from './types.ts';

const ID = fc.integer({ min: 1, max: 8 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const HOST = fc.oneof(
  ID.map((id) => `10.0.0.${id}`),
  fc.constantFrom('localhost', '/run/pg', '127.0.0.1', 'db', '::ffff:10.0.0.2', ''),
);
const PORT = fc.constantFrom(5432, 5433);
const SLOT = fc.constantFrom('a', 'b');
const SENDER = fc.record({ application_name: SLOT, client_addr: maybe(HOST), slot_name: maybe(SLOT) });
const SUBSCRIPTION = fc
  .record({ slot_name: maybe(SLOT), publisher_host: maybe(HOST), publisher_port: maybe(PORT) })
  .map((wish) => subscription('s', wish));
const SPOCK = fc.record({
  node_id: fc.constantFrom('1', '2', '3'),
  node_name: fc.constantFrom('n1', 'n2'),
  version: fc.constant(null),
  subscriptions: fc.array(
    fc.tuple(SUBSCRIPTION, fc.constantFrom('1', '2', '3')).map(([one, origin_id]) => ({ ...one, origin_id })),
    { maxLength: 2 },
  ),
});
const ROLE = fc.record({
  is_in_recovery: fc.boolean(),
  timeline_id: maybe(fc.integer({ min: 1, max: 3 })),
  started_at: maybe(fc.constantFrom('t1', 't2', 't3')),
  upstream_host: maybe(HOST),
  upstream_port: maybe(PORT),
  receiver_slot_name: maybe(SLOT),
  own_address: maybe(HOST),
  own_port: maybe(PORT),
  standby_count: fc.integer({ min: 0, max: 2 }),
  standbys: fc.array(SENDER, { maxLength: 2 }),
  subscribers: fc.array(SENDER, { maxLength: 2 }),
  logical_slots: fc.array(fc.record({ name: SLOT, database: maybe(SLOT) }), { maxLength: 2 }),
  subscriptions: fc.array(SUBSCRIPTION, { maxLength: 2 }),
  spock: fc.option(SPOCK, { nil: null, freq: 4 }),
});
const NODE = fc.record({
  name: fc.constantFrom('prod-1', 'prod-2', 'x', '', '-'),
  host: HOST,
  hostaddr: maybe(HOST),
  port: PORT,
  is_reachable: fc.boolean(),
  collected_at: maybe(fc.integer({ min: 0, max: 5 }).map(at)),
  system_identifier: maybe(fc.constantFrom('x', 'y')),
  cluster_name: maybe(SLOT),
  role: maybe(ROLE),
});
/** The same connections twice, as they are and as they will be. */
const STORY = fc
  .uniqueArray(ID, { minLength: 1, maxLength: 8 })
  .chain((ids) =>
    fc.tuple(
      ...[0, 1].map(() => fc.tuple(...ids.map((id) => NODE.map((wish): NodeFacts => server(id, wish))))),
    ),
  );

function check(facts: readonly NodeFacts[], memory: Memory): Detection {
  const found = detect(facts, memory);
  const byId = new Map(found.nodes.map((node) => [node.connection_id, node]));
  expect(found.nodes.map(({ connection_id }) => connection_id)).toEqual(
    facts.map(({ connection_id }) => connection_id).toSorted((a, b) => a - b),
  );
  const keys = found.clusters.map(({ cluster_key }) => cluster_key);
  expect(new Set(keys).size).toBe(keys.length);
  expect([...new Set(found.nodes.map(({ cluster_key }) => cluster_key))].toSorted()).toEqual(keys.toSorted());
  for (const node of found.nodes) {
    const seen = new Set<number>();
    for (let up: number | null = node.connection_id; up !== null; ) {
      expect(seen.has(up), 'somebody is above themselves').toBe(false);
      seen.add(up);
      const above = byId.get(up);
      expect(above?.cluster_key).toBe(node.cluster_key);
      up = above?.parent_connection_id ?? null;
    }
  }
  for (const { source_connection_id, target_connection_id } of found.relationships)
    expect(source_connection_id).not.toBe(target_connection_id);
  const once = found.relationships.map((one) => JSON.stringify(one));
  expect(new Set(once).size).toBe(once.length);
  const former = found.clusters.flatMap(({ former_key }) => former_key ?? []);
  expect(new Set(former).size).toBe(former.length);
  for (const { cluster_key, former_key, name } of found.clusters) {
    expect(former_key).not.toBe(cluster_key);
    expect(typeof name).toBe('string');
  }
  return found;
}

describe('detection', () => {
  it('puts each connection into one cluster, without circles, before and after any change', () => {
    fc.assert(
      fc.property(STORY, ([before, after]) => {
        const first = check(before ?? [], NO_MEMORY);
        check(after ?? [], remembered(first));
      }),
      { numRuns: 600 },
    );
  });

  it('answers the same whatever the order', () => {
    fc.assert(
      fc.property(STORY, fc.infiniteStream(fc.nat()), ([before, after], random) => {
        const memory = remembered(detect(before ?? [], NO_MEMORY));
        const shuffled = (after ?? []).toSorted(() => ((random.next().value ?? 0) % 2 === 0 ? 1 : -1));
        expect(detect(shuffled, memory)).toEqual(detect(after ?? [], memory));
      }),
      { numRuns: 300 },
    );
  });

  it('comes to rest: the same facts again change nothing', () => {
    fc.assert(
      fc.property(STORY, ([before, after]) => {
        let memory = remembered(detect(before ?? [], NO_MEMORY));
        let found = detect(after ?? [], memory);
        for (let round = 0; round < 4; round += 1) {
          memory = remembered(found, memory);
          found = detect(after ?? [], memory);
        }
        const again = detect(after ?? [], remembered(found, memory));
        expect(again.nodes).toEqual(found.nodes);
        expect(again.clusters).toEqual(found.clusters);
        expect(again.clusters.flatMap(({ former_key }) => former_key ?? [])).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('one cluster stays one through any failover', () => {
    const size = 5;
    const ids = Array.from({ length: size }, (_, n) => n + 1);
    const steps = fc.array(fc.integer({ min: 1, max: size }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(steps, fc.boolean(), (leaders, returns) => {
        let leader = 1;
        const dead = new Set<number>();
        const first = ids.map((id) => (id === 1 ? primary(1, 'x') : standby(id, 'x', { from: 1 })));
        let memory = remembered(detect(first, NO_MEMORY));
        let [key] = [...memory.names.keys()];
        for (const [index, next] of leaders.entries()) {
          if (next === leader || dead.has(next)) continue;
          if (!returns) dead.add(leader);
          leader = next;
          const role = { timeline_id: index + 2 };
          const facts = ids.map((id) => {
            if (dead.has(id)) return primary(id, 'x', { is_reachable: false, role: { timeline_id: 1 } });
            const collected_at = at(60 * (index + 1));
            return id === leader
              ? primary(id, 'x', { collected_at, role })
              : standby(id, 'x', { from: leader, collected_at, role });
          });
          const found = detect(facts, memory);
          expect(found.clusters).toMatchObject([{ cluster_key: `binary:${leader}`, former_key: key }]);
          memory = remembered(found, memory);
          key = `binary:${leader}`;
        }
      }),
      { numRuns: 200 },
    );
  });
});

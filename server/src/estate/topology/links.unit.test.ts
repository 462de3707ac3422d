// Publishers, subscribers and nodes of spock: what links them, and what only looks as if it did.
import { describe, expect, it } from 'vitest';
import {
  drawn,
  NO_MEMORY,
  primary,
  remembered,
  server,
  spockNode,
  standby,
  subscription,
  type Wish,
} from '../../testing/store/topology-facts.ts';
import { detect } from './detect.ts';
import { commonPrefix, labelsFor } from './labels.ts';
import type { NodeFacts } from './types.ts';

const draw = (...facts: readonly NodeFacts[]) => drawn(detect(facts, NO_MEMORY));
const relations = (...facts: readonly NodeFacts[]) =>
  detect(facts, NO_MEMORY).relationships.map(
    (one) => `${one.source_connection_id} ${one.relationship_type} ${one.target_connection_id}`,
  );
const roles = (...facts: readonly NodeFacts[]) =>
  detect(facts, NO_MEMORY).nodes.map(({ primary_role }) => primary_role);

const reads = (publisher: number, name = 'sub'): Wish => ({
  role: {
    is_subscriber: true,
    subscriptions: [subscription(name, { publisher_host: `10.0.0.${publisher}`, publisher_port: 5432 })],
  },
});
const slots = (...names: string[]): Wish => ({
  role: { is_publisher: true, logical_slots: names.map((name) => ({ name, database: 'app' })) },
});
const apart = (...ids: number[]) =>
  Object.fromEntries(ids.map((id) => [`standalone:${id}`, `server: ${id}`]));

describe('logical replication', () => {
  it('a publisher with two subscribers is a cluster', () => {
    const facts = [server(1, slots('sub', 'sub2')), server(2, reads(1)), server(3, reads(1, 'sub2'))];
    expect(draw(...facts)).toEqual({ 'logical:1': 'logical: 1 2 3' });
    expect(relations(...facts)).toEqual(['2 subscribes_to 1', '3 subscribes_to 1']);
    expect(roles(...facts)).toEqual(['logical_publisher', 'logical_subscriber', 'logical_subscriber']);
  });

  it('two that subscribe to each other replicate with each other', () => {
    const both = (id: number, other: number): NodeFacts =>
      server(id, { role: { ...reads(other, `from_${other}`).role, ...slots(`from_${id}`).role } });
    expect(draw(both(1, 2), both(2, 1))).toEqual({ 'logical:1': 'logical: 1 2' });
    expect(relations(both(1, 2), both(2, 1))).toEqual(['1 replicates_with 2', '2 replicates_with 1']);
    expect(roles(both(1, 2), both(2, 1))).toEqual(['logical_bidirectional', 'logical_bidirectional']);
  });

  it('a subscription that may not be read links nobody, though names agree', () => {
    const masked = server(2, { role: { is_subscriber: true, subscriptions: [subscription('sub')] } });
    expect(draw(server(1, slots('sub')), masked)).toEqual(apart(1, 2));
  });

  it('unless the publisher sees a walsender with its slot that comes from there', () => {
    const masked = server(2, { role: { is_subscriber: true, subscriptions: [subscription('sub')] } });
    const serving = (id: number, client_addr: string): NodeFacts =>
      server(id, {
        role: {
          ...slots('sub').role,
          subscribers: [{ application_name: 'sub', client_addr, slot_name: 'sub' }],
        },
      });
    expect(draw(serving(1, '10.0.0.2'), masked, serving(3, '10.0.0.9'))).toEqual({
      'logical:1': 'logical: 1 2',
      ...apart(3),
    });
    expect(draw(serving(1, '10.0.0.2'), masked, serving(3, '10.0.0.2'))).toEqual(apart(1, 2, 3));
  });

  it.each<[string, NodeFacts]>([
    ['another slot', server(1, slots('other'))],
    [
      'a slot of that name in another database',
      server(1, { role: { logical_slots: [{ name: 'sub', database: 'crm' }] } }),
    ],
  ])('an address with %s is another server of that address', (_title, publisher) => {
    const subscriptions = [
      subscription('sub', { publisher_host: '10.0.0.1', publisher_port: 5432, publisher_database: 'app' }),
    ];
    expect(draw(publisher, server(2, { role: { is_subscriber: true, subscriptions } }))).toEqual(apart(1, 2));
  });

  it('a name that leads to one server is enough without a slot', () => {
    const subscriptions = [subscription('sub', { slot_name: null, publisher_host: 'DB1.example' })];
    const facts = [
      server(1, { host: 'db1.example' }),
      server(2, { role: { is_subscriber: true, subscriptions } }),
    ];
    expect(draw(...facts)).toEqual({ 'logical:1': 'logical: 1 2' });
    expect(roles(...facts)).toEqual(['logical_publisher', 'logical_subscriber']);
  });

  it('localhost is the machine of the subscriber', () => {
    const subscriptions = [subscription('sub', { publisher_host: 'localhost', publisher_port: 5432 })];
    const subscriber = server(2, { port: 5433, role: { is_subscriber: true, subscriptions } });
    const here = server(3, { host: '10.0.0.2', ...slots('sub') });
    expect(draw(server(1, slots('sub')), subscriber, here)).toEqual({
      'logical:3': 'logical: 2 3',
      ...apart(1),
    });
  });

  it('a subscription to the same server under another name is none', () => {
    const one = server(1, { role: { ...slots('sub').role, ...reads(1).role } });
    expect(draw(one, { ...one, connection_id: 2 })).toEqual(apart(1, 2));
    expect(relations(one, { ...one, connection_id: 2 })).toEqual([]);
  });

  it('streaming comes first: the subscriber of a primary is linked to it from outside its cluster', () => {
    const facts = [primary(1, 'x', slots('sub')), standby(2, 'x', { from: 1 }), server(3, reads(1))];
    expect(draw(...facts)).toEqual({ 'binary:1': 'binary: 1(2)', ...apart(3) });
    expect(relations(...facts)).toEqual(['2 streams_from 1', '3 subscribes_to 1']);
  });

  it('keeps its key while the one that gave it publishes, though another one has more subscribers', () => {
    const chain = [server(2, slots('sub')), server(3, reads(2))];
    const before = remembered(detect(chain, NO_MEMORY));
    const middle = server(1, { role: { ...reads(2).role, ...slots('a', 'b').role } });
    const facts = [
      ...chain,
      middle,
      server(4, reads(1, 'a')),
      server(5, reads(1, 'b')),
      server(6, reads(1, 'a')),
    ];
    expect(Object.keys(drawn(detect(facts, before)))).toEqual(['logical:2']);
    expect(Object.keys(draw(...facts))).toEqual(['logical:1']);
  });
});

describe('spock', () => {
  const [n1, n2, n3] = [
    { connection: 1, node: 1 },
    { connection: 2, node: 2 },
    { connection: 3, node: 3 },
  ];
  const named = (name: string, more: Wish = {}): Wish => ({ name, ...more });

  it('nodes that subscribe to each other are a cluster, labelled by what their names have in common', () => {
    const facts = [
      spockNode(n1, [n2, n3], named('Prod-EU-n1')),
      spockNode(n2, [n1, n3], named('prod-eu-n2')),
      spockNode(n3, [n1, n2], named('prod-eu-n3')),
    ];
    const found = detect(facts, NO_MEMORY);
    expect(drawn(found)).toEqual({ 'spock:prod-eu': 'spock: 1 2 3' });
    expect(found.clusters).toMatchObject([{ name: 'prod-eu', replication_type: 'spock' }]);
    expect(found.labels).toEqual([{ label: 'prod-eu', node_keys: ['sys1/1', 'sys2/2', 'sys3/3'] }]);
    expect(relations(...facts)).toHaveLength(6);
    expect(found.nodes[0]).toMatchObject({
      spock_node_name: 'n1',
      spock_version: '5.0.1',
      primary_role: 'spock_node',
    });
  });

  it('with a standby it is spock_ha, and the standby stands below its node', () => {
    const node = spockNode(n1, [n2], named('a-1', { system_identifier: 'x' }));
    const copy = standby(4, 'x', { from: 1, name: 'a-1-ha', role: { spock: node.role?.spock ?? null } });
    expect(draw(node, spockNode(n2, [n1], named('a-2')), copy)).toEqual({ 'spock:a': 'spock_ha: 1(4) 2' });
    expect(roles(node, copy)).toEqual(['spock_node', 'spock_standby']);
  });

  it('two clusters with the same names of nodes and of connections stay two', () => {
    const far = [
      { connection: 11, node: 1 },
      { connection: 12, node: 2 },
    ] as const;
    const facts = [
      spockNode(n1, [n2], named('prod-n1')),
      spockNode(n2, [n1], named('prod-n2')),
      spockNode(far[0], [far[1]], named('prod-n1b')),
      spockNode(far[1], [far[0]], named('prod-n2b')),
    ];
    expect(draw(...facts)).toEqual({ 'spock:prod': 'spock: 1 2', 'spock:n1': 'spock: 11 12' });
  });

  it('an address at which another node answers is no link', () => {
    const facts = [
      spockNode(n1, [{ connection: 2, node: 7 }], named('p-1')),
      spockNode(n2, [], named('p-2')),
    ];
    expect(Object.values(draw(...facts))).toEqual(['spock: 2', 'spock: 1']);
  });

  it('keeps its label when connections are renamed, nodes come and a node fails over', () => {
    const first = detect(
      [spockNode(n1, [n2], named('old-1')), spockNode(n2, [n1], named('old-2'))],
      NO_MEMORY,
    );
    const memory = remembered(first);
    const moved = spockNode(
      { connection: 9, node: 1 },
      [n2, n3],
      named('new-9', { system_identifier: 'sys1' }),
    );
    const facts = [
      moved,
      spockNode(n2, [{ connection: 9, node: 1 }, n3], named('new-2')),
      spockNode(n3, [n2], named('new-3')),
    ];
    const found = detect(facts, memory);
    expect(drawn(found)).toEqual({ 'spock:old': 'spock: 2 3 9' });
    expect(found.labels).toEqual([{ label: 'old', node_keys: ['sys1/1', 'sys2/2', 'sys3/3'] }]);
    expect(detect(facts, remembered(found, memory)).labels).toEqual([]);
  });

  it('a label that is taken goes to nobody else, even after its nodes are gone', () => {
    const known = [{ label: 'prod', node_keys: ['gone/1'] }];
    const found = detect([spockNode(n1, [], named('prod-1'))], { ...NO_MEMORY, labels: known });
    expect(Object.keys(drawn(found))).toEqual(['spock:n1']);
    const again = detect([spockNode(n1, [], named('prod-1'))], {
      ...NO_MEMORY,
      labels: [...known, { label: 'n1', node_keys: ['gone/2'] }],
    });
    expect(Object.keys(drawn(again))).toEqual(['spock:prod-2']);
  });

  it('when a cluster falls apart, the label stays with the larger part', () => {
    const group = (id: number, node_keys: string[]) => ({
      id,
      node_keys,
      node_names: [`n${id}`],
      names: ['x'],
    });
    const known = [{ label: 'prod', node_keys: ['a', 'b', 'c'] }];
    const { labels, changed } = labelsFor([group(1, ['a']), group(2, ['b', 'c'])], known);
    expect([...labels]).toEqual([
      [1, 'n1'],
      [2, 'prod'],
    ]);
    expect(changed).toEqual([
      { label: 'n1', node_keys: ['a'] },
      { label: 'prod', node_keys: ['b', 'c'] },
    ]);
  });
});

describe('names', () => {
  it.each([
    [['prod-n1', 'prod-n2'], 'prod'],
    [['orders eu 1', 'orders eu 2'], 'orders eu'],
    [['pg1', 'pg2'], ''],
    [['a', 'b'], ''],
    [['prod-n1'], 'prod'],
    [['-x', '-y'], ''],
    [['same.name', 'same.name'], 'same'],
    [['Prod-1', 'prod-2'], 'Prod'],
    [[], ''],
  ])('the common beginning of %j is %j', (names, expected) => {
    expect(commonPrefix(names)).toBe(expected);
  });

  it('a second cluster of the same beginning is called as the server that leads it, and keeps that name', () => {
    const facts = (first: number) =>
      [0, 10].flatMap((n) => [
        primary(first + n, `s${n}`, { name: `prod-${n}a` }),
        standby(first + n + 1, `s${n}`, { from: first + n, name: `prod-${n}b` }),
      ]);
    const one = detect(facts(20), NO_MEMORY);
    expect(one.clusters.map(({ name }) => name)).toEqual(['prod', 'prod-10a']);
    const later = [primary(1, 's', { name: 'prod-x' }), standby(2, 's', { from: 1, name: 'prod-y' })];
    const both = detect([...later, ...facts(20)], remembered(one));
    expect(both.clusters.map(({ cluster_key, name }) => [cluster_key, name])).toEqual([
      ['binary:1', 'prod-x'],
      ['binary:20', 'prod'],
      ['binary:30', 'prod-10a'],
    ]);
  });
});

// Who belongs to whom, case by case: streams, failovers, several names of one server, and what may not be read.
import { describe, expect, it } from 'vitest';
import {
  at,
  drawn,
  NO_MEMORY,
  primary,
  remembered,
  server,
  standby,
  type Wish,
} from '../../testing/store/topology-facts.ts';
import { detect } from './detect.ts';
import type { Memory, NodeFacts } from './types.ts';

const draw = (...facts: readonly NodeFacts[]) => drawn(detect(facts, NO_MEMORY));
const sends = (count: number): Wish => ({ role: { standby_count: count } });
const local = (port: number): Wish => ({ host: 'localhost', port });

describe('streams', () => {
  it.each<[string, NodeFacts[], Record<string, string>]>([
    ['nothing', [], {}],
    ['a server that was never read', [server(1, { role: null })], { 'standalone:1': 'server: 1' }],
    ['a server by itself', [server(1)], { 'standalone:1': 'server: 1' }],
    [
      'two standbys, one below the other',
      [primary(1, 'x'), standby(2, 'x', { from: 1 }), standby(3, 'x', { from: 2 }), server(4)],
      { 'binary:1': 'binary: 1(2(3))', 'standalone:4': 'server: 4' },
    ],
    [
      'an upstream that may not be read is the only primary',
      [primary(1, 'x'), standby(2, 'x')],
      { 'binary:1': 'binary: 1(2)' },
    ],
    [
      'but of two primaries nobody knows which, so the standby stands alone',
      [primary(1, 'x'), primary(2, 'x'), standby(3, 'x')],
      { 'standalone:1': 'server: 1', 'standalone:2': 'server: 2', 'standalone:3': 'server: 3' },
    ],
    [
      'unless only one is on its timeline',
      [
        primary(1, 'x'),
        primary(2, 'x', { role: { timeline_id: 2 } }),
        standby(3, 'x', { role: { timeline_id: 2 } }),
      ],
      { 'standalone:1': 'server: 1', 'binary:2': 'binary: 2(3)' },
    ],
    [
      'a host that leads to another system is another host of that name',
      [primary(1, 'x'), standby(2, 'y', { from: 1 })],
      { 'standalone:1': 'server: 1', 'standalone:2': 'server: 2' },
    ],
    [
      'host and port are enough where the system may not be read',
      [primary(1, 'x', { system_identifier: null }), standby(2, 'x', { from: 1, system_identifier: null })],
      { 'binary:1': 'binary: 1(2)' },
    ],
    [
      'standbys of a primary that nobody watches belong together, and to nobody',
      [standby(2, 'x', { from: 1 }), standby(3, 'x', { from: 1 }), standby(4, 'y', { from: 1 })],
      { 'binary:2': 'binary: 2 3', 'standalone:4': 'server: 4' },
    ],
    [
      'an upstream under a name that is not known is the primary if it has a walsender too many',
      [primary(1, 'x', sends(1)), standby(2, 'x', { role: { upstream_host: 'db', upstream_port: 5432 } })],
      { 'binary:1': 'binary: 1(2)' },
    ],
    [
      'and else some server between that nobody watches',
      [primary(1, 'x'), standby(2, 'x', { role: { upstream_host: 'db', upstream_port: 5432 } })],
      { 'binary:1': 'binary: 1 2' },
    ],
    [
      'two that stream from each other, by what was read at different times, are no circle',
      [standby(1, 'x', { from: 2 }), standby(2, 'x', { from: 1, collected_at: at(9) })],
      { 'binary:1': 'binary: 1(2)' },
    ],
  ])('%s', (_title, facts, expected) => {
    expect(draw(...facts)).toEqual(expected);
  });

  it.each<[string, NodeFacts, NodeFacts]>([
    [
      'hostaddr',
      server(1, { host: 'db1', hostaddr: '10.9.9.9' }),
      standby(2, 'sys1', { role: { upstream_host: '10.9.9.9', upstream_port: 5432 } }),
    ],
    [
      'another case and a dot',
      server(1, { host: 'DB1.example' }),
      standby(2, 'sys1', { role: { upstream_host: 'db1.EXAMPLE.', upstream_port: 5432 } }),
    ],
    ['no port, which is 5432', server(1), standby(2, 'sys1', { role: { upstream_host: '10.0.0.1' } })],
    [
      'localhost',
      server(1, local(5433)),
      standby(2, 'sys1', { ...local(5434), role: { upstream_host: '127.0.0.1', upstream_port: 5433 } }),
    ],
    [
      'a socket',
      server(1, { ...local(5433) }),
      standby(2, 'sys1', {
        host: '127.0.0.1',
        port: 5434,
        role: { upstream_host: '/run/pg', upstream_port: 5433 },
      }),
    ],
    [
      'the address it sees itself at',
      server(1, { ...local(6001), role: { own_address: '172.18.0.2', own_port: 5432 } }),
      standby(2, 'sys1', {
        ...local(6002),
        role: { upstream_host: '172.18.0.2', upstream_port: 5432 },
      }),
    ],
  ])('finds the upstream by %s', (_title, upstream, follower) => {
    const other = primary(3, 'sys1', { host: 'elsewhere' });
    expect(draw(upstream, follower, other)['binary:1']).toBe('binary: 1(2)');
  });

  it.each<[string, Partial<NonNullable<NodeFacts['role']>>, Wish]>([
    [
      'its slot',
      { standbys: [{ application_name: 'walreceiver', client_addr: '10.5.5.5', slot_name: 'two' }] },
      { role: { receiver_slot_name: 'two' } },
    ],
    [
      'its cluster_name',
      { standbys: [{ application_name: 'two', client_addr: '10.5.5.5', slot_name: null }] },
      { cluster_name: 'two' },
    ],
    [
      'its address',
      { standbys: [{ application_name: 'walreceiver', client_addr: '10.0.0.2', slot_name: null }] },
      {},
    ],
  ])('finds the upstream, among two, by a walsender with %s', (_title, sender, wish) => {
    const follower = standby(2, 'x', { ...wish, role: { upstream_host: 'some-name', ...wish.role } });
    const facts = [
      primary(1, 'x', { role: sender }),
      primary(3, 'x', { role: { timeline_id: 2 } }),
      follower,
    ];
    expect(draw(...facts)).toEqual({ 'binary:1': 'binary: 1(2)', 'standalone:3': 'server: 3' });
  });

  it('names do not make a cluster', () => {
    const facts = ['orders-1', 'orders-2', 'orders-3'].map((name, n) => server(n + 1, { name }));
    expect(Object.keys(draw(...facts))).toEqual(['standalone:1', 'standalone:2', 'standalone:3']);
  });

  it('loopback means another machine on each machine', () => {
    const onOther: Wish = { role: { upstream_host: 'localhost', upstream_port: 5432 } };
    expect(
      draw(
        primary(1, 'x'),
        primary(3, 'x', { host: '10.0.0.2', port: 5432 }),
        standby(2, 'x', { port: 5433, ...onOther }),
      ),
    ).toEqual({
      'standalone:1': 'server: 1',
      'binary:3': 'binary: 3(2)',
    });
  });
});

describe('several connections to one server', () => {
  const twin = (id: number, of: NodeFacts, wish: Partial<NodeFacts> = {}): NodeFacts => ({
    ...of,
    connection_id: id,
    name: `twin ${id}`,
    ...wish,
  });

  it('are one server of the cluster under two names, with the standby below one of them', () => {
    const one = primary(1, 'x', sends(1));
    expect(draw(one, twin(2, one, { host: 'alias' }), standby(3, 'x', { from: 1 }))).toEqual({
      'binary:1': 'binary: 1(3) 2',
    });
  });

  it('are found by address and port too, while one was read before a restart and the other after', () => {
    const one = primary(1, 'x', local(5433));
    const other = primary(2, 'x', { host: '127.0.0.1', port: 5433, collected_at: at(5) });
    expect(draw(one, other, standby(3, 'x'))).toEqual({ 'binary:1': 'binary: 1(3) 2' });
  });

  it('stay apart when the server has no standby', () => {
    const one = server(1);
    expect(draw(one, twin(2, one))).toEqual({ 'standalone:1': 'server: 1', 'standalone:2': 'server: 2' });
  });
});

describe('after a promotion', () => {
  const before = [
    primary(1, 'x', { name: 'a-1', ...sends(2) }),
    standby(2, 'x', { from: 1, name: 'a-2' }),
    standby(3, 'x', { from: 1, name: 'a-3' }),
  ];
  const memory: Memory = remembered(detect(before, NO_MEMORY));
  const promoted = (id: number, wish: Wish = {}) =>
    primary(id, 'x', {
      name: `a-${id}`,
      collected_at: at(60),
      ...wish,
      role: { timeline_id: 2, ...wish.role },
    });
  const dead = { name: 'a-1', is_reachable: false };

  it('the dead primary stays in its cluster, which the new one leads', () => {
    const third = standby(3, 'x', { from: 2, name: 'a-3' });
    const found = detect([primary(1, 'x', dead), promoted(2), third], memory);
    expect(drawn(found)).toEqual({ 'binary:2': 'binary: 1 2(3)' });
    expect(found.clusters).toMatchObject([{ former_key: 'binary:1', name: 'a' }]);
  });

  it('also while the others still wait for the dead one', () => {
    const found = detect([primary(1, 'x', dead), promoted(2), standby(3, 'x', { from: 1 })], memory);
    expect(drawn(found)).toEqual({ 'binary:2': 'binary: 1(3) 2' });
    expect(found.clusters).toMatchObject([{ former_key: 'binary:1' }]);
  });

  it('the old primary that came back as a standby follows the new one', () => {
    const later = remembered(
      detect([primary(1, 'x', dead), promoted(2), standby(3, 'x', { from: 2 })], memory),
    );
    const found = detect([standby(1, 'x', { from: 2 }), promoted(2), standby(3, 'x', { from: 2 })], later);
    expect(drawn(found)).toEqual({ 'binary:2': 'binary: 2(1 3)' });
    expect(found.clusters).toMatchObject([{ former_key: null }]);
  });

  it('one that lives and says so stands alone, and the cluster goes with the standbys', () => {
    const lives = primary(1, 'x', { collected_at: at(90) });
    const found = detect([lives, promoted(2), standby(3, 'x', { from: 2 })], memory);
    expect(drawn(found)).toEqual({ 'standalone:1': 'server: 1', 'binary:2': 'binary: 2(3)' });
    expect(found.clusters.map(({ former_key }) => former_key)).toEqual(['binary:1', null]);
  });

  it('of a server that was split off, the cluster stays with the old primary that kept the others', () => {
    const lives = primary(1, 'x', { collected_at: at(90), ...sends(1) });
    const found = detect([lives, promoted(2), standby(3, 'x', { from: 1, collected_at: at(90) })], memory);
    expect(drawn(found)).toEqual({ 'binary:1': 'binary: 1(3)', 'standalone:2': 'server: 2' });
    expect(found.clusters.map(({ former_key }) => former_key)).toEqual([null, null]);
  });

  it('until the old one was read again nobody is thrown out', () => {
    const found = detect([primary(1, 'x'), promoted(2), standby(3, 'x', { from: 1 })], memory);
    expect(drawn(found)).toEqual({ 'binary:1': 'binary: 1(3) 2' });
  });

  it('a pair keeps its cluster through failover and return', () => {
    const pair = remembered(detect(before.slice(0, 2), NO_MEMORY));
    const over = detect([primary(1, 'x', dead), promoted(2)], pair);
    expect(drawn(over)).toEqual({ 'binary:2': 'binary: 1 2' });
    expect(over.nodes.map(({ primary_role }) => primary_role)).toEqual(['standalone', 'binary_primary']);
    const back = detect([standby(1, 'x', { from: 2 }), promoted(2)], remembered(over));
    expect(drawn(back)).toEqual({ 'binary:2': 'binary: 2(1)' });
    expect([over, back].map(({ clusters }) => clusters[0]?.former_key)).toEqual(['binary:1', null]);
  });

  it('a pair whose old primary lives on: the new one has the cluster, alone, and again once it has a standby', () => {
    const pair = remembered(detect(before.slice(0, 2), NO_MEMORY));
    const split = detect([primary(1, 'x', { collected_at: at(90) }), promoted(2)], pair);
    expect(split.clusters).toMatchObject([
      { cluster_key: 'standalone:1', former_key: null },
      { cluster_key: 'standalone:2', former_key: 'binary:1' },
    ]);
    const later = detect([standby(1, 'x', { from: 2 }), promoted(2)], remembered(split));
    expect(later.clusters).toMatchObject([{ cluster_key: 'binary:2', former_key: 'standalone:2' }]);
  });

  it('a clone that was never a member changes nothing when the primary is away', () => {
    const clone = promoted(9);
    const with9 = remembered(detect([...before, clone], NO_MEMORY));
    const found = detect(
      [primary(1, 'x', dead), standby(2, 'x', { from: 1 }), standby(3, 'x', { from: 1 }), clone],
      with9,
    );
    expect(drawn(found)).toEqual({ 'binary:1': 'binary: 1(2 3)', 'standalone:9': 'server: 9' });
  });

  it('two failovers in a row leave one cluster', () => {
    const once = detect([primary(1, 'x', dead), promoted(2), standby(3, 'x', { from: 2 })], memory);
    const third = promoted(3, { collected_at: at(120), role: { timeline_id: 3 } });
    const twice = detect(
      [primary(1, 'x', dead), promoted(2, { is_reachable: false }), third],
      remembered(once),
    );
    expect(drawn(twice)).toEqual({ 'binary:3': 'binary: 1 2 3' });
    expect(twice.clusters).toMatchObject([{ former_key: 'binary:2', name: 'a' }]);
  });

  it('the primary that is found later leads the standbys that were there', () => {
    const orphans = [standby(2, 'x', { from: 1 }), standby(3, 'x', { from: 1 })];
    const found = detect([primary(1, 'x'), ...orphans], remembered(detect(orphans, NO_MEMORY)));
    expect(drawn(found)).toEqual({ 'binary:1': 'binary: 1(2 3)' });
    expect(found.clusters).toMatchObject([{ former_key: 'binary:2' }]);
  });

  it('the server that got its first standby takes along what was stored for it', () => {
    const alone = remembered(detect([primary(1, 'x')], NO_MEMORY));
    const found = detect([primary(1, 'x'), standby(2, 'x', { from: 1 })], alone);
    expect(found.clusters).toMatchObject([{ cluster_key: 'binary:1', former_key: 'standalone:1' }]);
  });
});

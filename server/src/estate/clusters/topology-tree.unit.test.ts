import { describe, expect, it } from 'vitest';
import type { TopologyServerShape } from './topology.schemas.ts';
import { MAX_DEPTH, nest, type TreeNode } from './topology-tree.ts';

const node = (id: number, ...parents: (number | null)[]): TreeNode => ({
  server: {
    id,
    name: `s${id}`,
    description: '',
    host: 'h',
    port: 1,
    status: 'online',
    active_alert_count: 0,
    primary_role: 'unknown',
    is_expandable: false,
  },
  parents,
});

/** As text: `1(2(3) 4)`. */
const drawn = (servers: readonly TopologyServerShape[]): string =>
  servers
    .map(({ id, children = [] }) => (children.length > 0 ? `${id}(${drawn(children)})` : `${id}`))
    .join(' ');
const count = (servers: readonly TopologyServerShape[]): number =>
  servers.reduce((sum, { children = [] }) => sum + 1 + count(children), 0);
const depth = (servers: readonly TopologyServerShape[]): number =>
  servers.length === 0 ? 0 : 1 + Math.max(...servers.map(({ children = [] }) => depth(children)));

describe('standbys', () => {
  it.each([
    ['stand under their upstream, cascades too', [node(1), node(2, 1), node(3, 2), node(4, 1)], '1(2(3) 4)'],
    ['keep the order they come in', [node(3, 1), node(2, 1), node(1)], '1(3 2)'],
    ['stand alone where the upstream is elsewhere', [node(1, 9), node(2, null)], '1 2'],
    ['take the likeliest parent that is here', [node(1), node(2), node(3, 9, 2)], '1 2(3)'],
    ['are not under themselves', [node(1, 1), node(2, 1, 1)], '1(2)'],
    ['in a circle are cut once', [node(1, 3), node(2, 1), node(3, 2)], '1(2(3))'],
    ['in a circle beside others are all there', [node(4), node(1, 2), node(2, 1), node(5, 1)], '4 1(2 5)'],
  ])('%s', (_what, nodes, expected) => {
    expect(drawn(nest(nodes))).toBe(expected);
  });

  it('say whether there is something below', () => {
    const [top] = nest([node(1), node(2, 1)]);
    expect([top?.is_expandable, top?.children?.[0]?.is_expandable]).toEqual([true, false]);
  });

  it('come out once each, in bounded depth, however long the chain', () => {
    const chain = Array.from({ length: 5000 }, (_, index) => node(index + 1, index));
    const tree = nest(chain);
    expect(count(tree)).toBe(5000);
    expect(depth(tree)).toBe(MAX_DEPTH);
  });
});

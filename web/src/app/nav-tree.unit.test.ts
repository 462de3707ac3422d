import { describe, expect, it } from 'vitest';
import type { Cluster, Group, Server } from '../features/estate/clusters/model.ts';
import { stepOf, type TreeView, treeRows } from './nav-tree-rows.ts';

const server = (id: number, name: string, children: Server[] = []): Server => ({
  id,
  name,
  description: '',
  host: 'db.example.com',
  port: 5432,
  status: 'online',
  active_alert_count: 0,
  primary_role: 'unknown',
  is_expandable: children.length > 0,
  ...(children.length > 0 && { children }),
});
const cluster = (id: string, servers: Server[], type: Cluster['cluster_type'] = 'binary'): Cluster => ({
  id,
  name: id,
  cluster_type: type,
  auto_cluster_key: 'x',
  servers,
});
const group = (id: number, clusters: Cluster[]): Group => ({
  id: `group-${id}`,
  name: `group ${id}`,
  is_default: id === 1,
  clusters,
});

const ESTATE = [
  group(1, [cluster('server-9', [server(9, 'alone')], 'server')]),
  group(2, [cluster('cluster-4', [server(1, 'a', [server(2, 'b', [server(3, 'c')])])])]),
];
const view = (more: Partial<TreeView> = {}): TreeView => ({
  toggled: {},
  found: undefined,
  stateOf: () => ({ label: 'Online', mark: 'ok', rank: 4 }),
  ...more,
});
const drawn = (groups: Group[], more: Partial<TreeView> = {}) =>
  treeRows(groups, view(more)).map(
    ({ level, name, open }) =>
      `${'  '.repeat(level - 1)}${open === undefined ? '' : open ? '- ' : '+ '}${name}`,
  );

describe('rows of the tree', () => {
  it('are groups, clusters, servers, and standbys under whom they stream from', () =>
    expect(drawn(ESTATE)).toEqual([
      '- group 1',
      '  alone',
      '- group 2',
      '  - cluster-4',
      '    - a',
      '      - b',
      '        c',
    ]));

  it('need no group where there is only the default one', () =>
    expect(drawn(ESTATE.slice(0, 1))).toEqual(['alone']));

  it('hide what is below a closed one', () =>
    expect(drawn(ESTATE, { toggled: { 'group-1': false, 'c:cluster-4': false } })).toEqual([
      '+ group 1',
      '- group 2',
      '  + cluster-4',
    ]));

  it('are opened by a search down to what it finds', () =>
    expect(drawn(ESTATE, { toggled: { 'c:cluster-4': false }, found: ({ name }) => name === 'b' })).toEqual([
      '- group 2',
      '  - cluster-4',
      '    - a',
      '      b',
    ]));

  it('begin with closed clusters where there are many servers', () => {
    const many = Array.from({ length: 61 }, (_, index) => server(100 + index, `s${index}`));
    expect(drawn([group(1, [cluster('cluster-7', many)])])).toEqual(['+ cluster-7']);
  });

  it('say how many below are not well, by the worst', () => {
    const stateOf = ({ id }: Server) =>
      id === 2
        ? { label: 'Offline', mark: 'failed' as const, rank: 0 }
        : { label: 'Online', mark: 'ok' as const, rank: 4 };
    const rows = treeRows(ESTATE, view({ stateOf }));
    expect(rows.map(({ name, state }) => [name, state.label])).toEqual([
      ['group 1', 'All online'],
      ['alone', 'Online'],
      ['group 2', '1 of 3 needs attention'],
      ['cluster-4', '1 of 3 needs attention'],
      ['a', 'Online'],
      ['b', 'Offline'],
      ['c', 'Online'],
    ]);
  });
});

describe('arrows', () => {
  const rows = treeRows(ESTATE, view({ toggled: { 'server-2': false } }));
  it.each([
    [0, 'ArrowDown', { to: 1 }],
    [0, 'ArrowUp', { to: 0 }],
    [5, 'ArrowDown', { to: 5 }],
    [3, 'Home', { to: 0 }],
    [0, 'End', { to: 5 }],
    [3, 'ArrowRight', { to: 4 }],
    [5, 'ArrowRight', { toggle: rows[5] }],
    [1, 'ArrowRight', undefined],
    [5, 'ArrowLeft', { to: 4 }],
    [4, 'ArrowLeft', { toggle: rows[4] }],
    [1, 'ArrowLeft', { to: 0 }],
    [0, 'a', undefined],
    [-1, 'ArrowDown', undefined],
  ])('from %d by %s', (at, key, step) => expect(stepOf(rows, at, key)).toEqual(step));
});

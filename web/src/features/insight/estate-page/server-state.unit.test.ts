import { describe, expect, it } from 'vitest';
import type { EstateServer } from '../../../api/types.ts';
import { sortRows } from '../../../lib/sort.ts';
import { BY_NAME, matches, stateOf } from '../../estate/estate/server-state.ts';
import { hurt, rowsOf } from './estate-row.ts';

function server(name: string, facts: Partial<EstateServer> = {}): EstateServer {
  return {
    connection_id: 1,
    name,
    description: '',
    host: 'db1.example.com',
    port: 5432,
    is_monitored: true,
    is_shared: true,
    owner_username: 'admin',
    may_manage: true,
    status: 'online',
    connection_error: null,
    version: '18.4',
    role: 'primary',
    last_sample_at: null,
    response_time_ms: null,
    database_count: null,
    size_bytes: null,
    problem_count: 0,
    ...facts,
  };
}

const NOTHING_READ = {
  ...{ history: undefined, because: undefined, alerts: undefined, findings: undefined },
  ...{ runway: undefined, changes: undefined },
};

describe('worst first', () => {
  const ordered = (servers: EstateServer[]) =>
    sortRows(rowsOf(servers, NOTHING_READ), {
      value: hurt,
      descending: false,
      ties: BY_NAME.map((value) => (row) => value(row.server)),
    }).map(({ server: { name } }) => name);

  it('goes from failing to not monitored, problems before none, then by name', () =>
    expect(
      ordered([
        server('paused', { is_monitored: false, status: 'offline', problem_count: 9 }),
        server('fine b'),
        server('fine a'),
        server('fine but two problems', { problem_count: 2 }),
        server('starting', { status: 'initialising' }),
        server('unknown', { status: 'unknown' }),
        server('warning', { status: 'warning' }),
        server('offline', { status: 'offline', connection_error: 'Nothing listens.' }),
        server('cannot connect', { status: 'initialising', connection_error: 'Wrong password.' }),
      ]),
    ).toEqual([
      'cannot connect',
      'offline',
      'warning',
      'unknown',
      'starting',
      'fine but two problems',
      'fine a',
      'fine b',
      'paused',
    ]));

  it('never lets many problems outrank a worse state', () =>
    expect(ordered([server('many', { problem_count: 5000 }), server('away', { status: 'offline' })])).toEqual(
      ['away', 'many'],
    ));
});

it('says that a server fails now, whatever the age of its newest sample', () => {
  expect(stateOf(server('x', { connection_error: 'Nothing listens.' })).label).toBe('Cannot connect');
  expect(stateOf(server('x', { is_monitored: false, connection_error: 'old' })).label).toBe('Not monitored');
});

describe('search', () => {
  const one = server('Orders primary', { description: 'Frankfurt', version: '17.6' });
  it.each([
    ['', true],
    ['orders', true],
    ['  ORDERS   frank ', true],
    ['17.6 online', true],
    ['db1.example.com:5432', true],
    ['orders paris', false],
    ['.*', false],
  ])('%j', (search, found) => expect(matches(one, search)).toBe(found));
});

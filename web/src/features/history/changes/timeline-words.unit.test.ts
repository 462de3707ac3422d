// The timeline in words: what an address means, days by the reader's clock, and what was before and after of every type.
import { expect, it } from 'vitest';
import {
  askedFor,
  changesOf,
  daysOf,
  KINDS,
  kindsOf,
  pathOf,
  serversOf,
  type TimelineEvent,
} from './timeline-words.ts';

const event = (over: Partial<TimelineEvent>): TimelineEvent => ({
  id: 'x',
  event_type: 'restart',
  connection_id: 1,
  server_name: 'orders',
  occurred_at: '2026-11-20T23:30:00.000Z',
  severity: 'info',
  title: '',
  summary: '',
  ...over,
});

it('takes of an address what means something', () => {
  expect(kindsOf('statements,settings,nonsense,settings')).toEqual(['settings', 'statements']);
  expect(kindsOf('')).toEqual([]);
  expect(serversOf('3,x,3,-1,0,12')).toEqual([3, 12]);
  expect(serversOf(Array.from({ length: 500 }, (_, at) => at + 1).join()).length).toBe(100);
});

it('asks for the types of the kinds, and for all of them where none is chosen', () => {
  const window = { from: Date.parse('2026-11-20T00:00:00Z'), to: Date.parse('2026-11-21T00:00:00Z') };
  expect(askedFor(window, { kinds: [], servers: [] })).toEqual({
    start_time: '2026-11-20T00:00:00.000Z',
    end_time: '2026-11-21T00:00:00.000Z',
    include: 'changes',
    limit: 500,
  });
  const some = askedFor(window, { kinds: ['restarts', 'access'], servers: [3, 12] });
  expect(some?.event_types).toBe('restart,role_change,version_change,hba_change,ident_change');
  expect(some?.connection_ids).toBe('3,12');
  expect(askedFor(window, { kinds: KINDS, servers: [] })?.event_types?.split(',').length).toBe(19);
});

it('leads from what happened to an alert to its page', () => {
  expect(pathOf(event({ event_type: 'alert_cleared', details: { alert_id: 41 } }))).toBe('/alerts/41');
  for (const details of [{}, { alert_id: 'x' }, { alert_id: -1 }, { alert_id: null }])
    expect(pathOf(event({ details }))).toBeUndefined();
  expect(pathOf(event({}))).toBeUndefined();
  const ofLog = event({ event_type: 'log_event', details: { class: 'panic', events: 2 } });
  expect(pathOf(ofLog)).toMatch(/^\/servers\/\d+\?tab=logs&from=.*&class=panic$/);
});

it('groups by the days of the zone', () => {
  const events = ['2026-11-20T23:30:00Z', '2026-11-20T22:30:00Z', '2026-11-19T10:00:00Z'].map((occurred_at) =>
    event({ occurred_at }),
  );
  const days = (zone: string) => daysOf(events, zone).map(({ title, events: own }) => [title, own.length]);
  expect(days('UTC')).toEqual([
    ['Friday 20 November 2026', 2],
    ['Thursday 19 November 2026', 1],
  ]);
  expect(days('Europe/Berlin')).toEqual([
    ['Saturday 21 November 2026', 1],
    ['Friday 20 November 2026', 1],
    ['Thursday 19 November 2026', 1],
  ]);
});

it.each([
  [
    'config_change',
    { change_count: 3, changes: [{ name: 'work_mem', old_value: '4096', new_value: '7168' }] },
    { changes: [{ name: 'work_mem', place: '', before: '4096', after: '7168' }], more: 2 },
  ],
  [
    'role_setting_change',
    { changes: [{ name: 'a', role: 'app', database: 'shop', old_value: null, new_value: '' }] },
    { changes: [{ name: 'a', place: 'role app in database shop', before: null, after: 'empty' }], more: 0 },
  ],
  [
    'hba_change',
    {
      changes: [
        {
          rule_number: 7,
          type: 'host',
          database: 'all',
          user_name: 'all',
          address: '10.0.0.0/8',
          auth_method: 'md5',
          prev_type: 'host',
          prev_database: 'all',
          prev_user_name: 'all',
          prev_address: '10.0.0.0/8',
          prev_auth_method: 'trust',
          change_type: 'modified',
        },
        { rule_number: null, type: 'local', auth_method: 'peer', change_type: 'removed' },
      ],
    },
    {
      changes: [
        {
          name: 'Rule 7',
          place: '',
          before: 'host all all 10.0.0.0/8 trust',
          after: 'host all all 10.0.0.0/8 md5',
        },
        { name: 'Rule', place: '', before: 'local peer', after: null },
      ],
      more: 0,
    },
  ],
  [
    'ident_change',
    {
      mapping_count: 1,
      mappings: [{ map_name: 'm', sys_name: 'bob', pg_username: 'app', change_type: 'added' }],
    },
    { changes: [{ name: 'm', place: '', before: null, after: 'bob → app' }], more: 0 },
  ],
  [
    'extension_change',
    { changes: [{ name: 'postgis', version: '3.5', old_version: '3.4', database: 'shop' }] },
    { changes: [{ name: 'postgis', place: 'shop', before: '3.4', after: '3.5' }], more: 0 },
  ],
  [
    'index_dropped',
    {
      changes: [
        { database: 'shop', schema: 'public', table: 'orders', index: 'orders_idx', change_type: 'removed' },
      ],
    },
    { changes: [{ name: 'public.orders_idx', place: 'shop on orders', before: null, after: null }], more: 0 },
  ],
  [
    'statement_new',
    { changes: [{ database: 'shop', queryid: '7', user_name: 'app', query_text: 'select\n 1' }] },
    { changes: [{ name: 'select 1', place: 'shop, by app', before: null, after: null }], more: 0 },
  ],
  ['restart', { previous_start_time: 'a', new_start_time: 'b' }, { changes: [], more: 0 }],
] as const)('%s says what was before and after', (event_type, details, expected) => {
  expect(changesOf(event({ event_type, details }))).toEqual(expected);
  expect(changesOf(event({ event_type }))).toEqual({ changes: [], more: 0 });
});

// Replication on the screen: who is behind and by how much, slots that nobody uses, a standby that receives from nobody,
// and charts on the window of the page.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { ReplicationView } from './replication-view.tsx';

const READ = '2026-11-20T11:55:00.000Z';
const row = (more: Record<string, unknown>) => ({ connection_id: 1, collected_at: READ, ...more });

const ROWS = new Map([
  [
    'pg_stat_replication',
    [
      row({
        role: 'primary',
        pid: 71,
        application_name: 'orders-standby',
        client_addr: '10.0.0.2',
        usename: 'replicator',
        state: 'streaming',
        sync_state: 'async',
        replay_lag: 12.5,
        lag_bytes: 44_040_192,
        reply_time: READ,
      }),
      row({ role: 'standby', pid: 0, replay_lag: 90, receiver_status: null }),
    ],
  ],
  [
    'pg_replication_slots',
    [
      row({
        slot_name: 'orphan',
        slot_type: 'logical',
        plugin: 'pgoutput',
        database: 'shop',
        active: false,
        retained_bytes: 10_737_418_240,
        wal_status: 'extended',
        inactive_since: '2026-11-01T00:00:00.000Z',
      }),
      row({
        slot_name: 'gone',
        slot_type: 'physical',
        active: false,
        retained_bytes: null,
        wal_status: 'lost',
      }),
      row({
        slot_name: 'used',
        slot_type: 'physical',
        active: true,
        retained_bytes: 0,
        wal_status: 'reserved',
      }),
    ],
  ],
]);

const entry = (probe: string) => ({
  probe,
  database_name: null,
  status: 'ok' as const,
  reason: null,
  mend: null,
  checked_at: null,
  collected_at: null,
  took_ms: null,
  row_count: 0,
  interval_seconds: 30,
  effective_interval_seconds: 30,
  cost_percent: null,
});

const ANSWERS: Answers = {
  getConnectionCoverage: {
    connection_id: 1,
    own_cost: {
      cost_percent: null,
      sessions: null,
      measured_at: null,
      statement_entries: null,
      statement_entries_limit: null,
    },
    newest_gap: null,
    counts: { collected: 1, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 },
    probes: ['pg_stat_replication', 'pg_replication_slots', 'pg_stat_subscription'].map(entry),
    remedies: [],
    host_sources: [],
    host_values: [],
  },
  listTimelineEvents: { events: [], total_count: 0 },
  queryMetrics: ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    const time = query.get('start_time') ?? '';
    return (query.get('metrics') ?? '').split(',').map((metric) => ({
      name: metric,
      metric,
      unit: metric.endsWith('_lag') ? 'seconds' : 'bytes',
      data: metric === 'replay_lag' ? [{ time, value: 12.5 }] : [],
    }));
  },
  getLatestMetrics: ({ path }) => {
    const probe = new URLSearchParams(path.split('?')[1]).get('probe_name') ?? '';
    const rows = ROWS.get(probe) ?? [];
    return { rows, total_count: rows.length };
  },
};

const rowsOf = async (name: string) => {
  const region = within(await screen.findByRole('region', { name }));
  return (await region.findAllByRole('row')).map(({ textContent }) => textContent).slice(1);
};

it('says who is behind, what slots keep and for whom nobody waits', async () => {
  const api = await startApi(ANSWERS);
  show(<ReplicationView id={1} />, {
    at: '/servers/1?tab=replication&from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc',
  });
  const standbys = await rowsOf('Standbys and subscribers');
  expect(standbys.length).toBe(1);
  expect(standbys[0]).toMatch(/^orders-standby10.0.0.2 · replicatorstreamingasync12.5 s42 MB/);
  expect(await rowsOf('Receiver')).toEqual([expect.stringMatching(/^Not receiving.*1 min 30 s/)]);
  const slots = await rowsOf('Replication slots');
  expect(slots[0]).toMatch(/^orphanlogical · pgoutput · shopNot in use.* d ago10 GBextended/);
  expect(slots[1]).toMatch(/^gonephysicalLost.*The other end did not say/);
  expect(slots[2]).toMatch(/^usedphysicalIn use.*0 B/);
  await screen.findByText('This server has no subscriptions.');
  const chart = await screen.findByRole('figure', { name: 'Replication lag' });
  expect(within(chart).getByRole('slider').getAttribute('aria-valuetext')).toMatch(/Replay lag 12.5 s/);
  const asked = api.sent
    .filter(({ operation }) => operation === 'queryMetrics')
    .map(({ path }) => new URLSearchParams(path.split('?')[1]));
  expect(new Set(asked.map((query) => query.get('start_time')))).toEqual(
    new Set(['2026-11-20T10:00:00.000Z']),
  );
  expect(asked.map((query) => query.get('probe_name')).sort()).toEqual([
    'pg_replication_slots',
    'pg_stat_replication',
    'pg_stat_wal',
  ]);
});

it('says that a standby which streams does not replay', async () => {
  const streaming = {
    role: 'standby',
    pid: 9,
    sender_host: 'db1',
    receiver_status: 'streaming',
    replay_lag: 90,
  };
  const rows = [row({ ...streaming, replay_pause_state: 'paused' })];
  await startApi({ ...ANSWERS, getLatestMetrics: { rows, total_count: rows.length } });
  show(<ReplicationView id={1} />, { at: '/servers/1?tab=replication' });
  const receiver = within(await screen.findByRole('region', { name: 'Receiver' }));
  await receiver.findByText('WAL replay paused');
});

const SENT = { replay_pause_state: null, replay_paused_since: null };
const READING = {
  ...{
    collected_at: READ,
    current_until: READ,
    sync_state: null,
    write_lag_seconds: null,
    reason: null,
    since: null,
  },
  ...{
    flush_lag_seconds: null,
    replay_lag_seconds: null,
    lag_bytes: null,
    slot_name: null,
    state: 'streaming',
  },
};

it.each([
  ['paused', 'WAL replay paused'],
  // Of a standby that says nothing of itself.
  [null, 'WAL arrives, but is not replayed'],
])(
  'says on the primary that a standby whose replay is %s does not replay',
  async (replay_pause_state, words) => {
    const sent = {
      ...{ role: 'primary', pid: 71, application_name: 'b', state: 'streaming' },
      replay_lag: 1325,
    };
    const rows = [
      row({ ...sent, flush_lag: 0.01 }),
      row({ ...sent, pid: 72, application_name: 'c', replay_lag: 2 }),
    ];
    const link = {
      source_connection_id: 3,
      target_connection_id: 1,
      relationship_type: 'streams_from' as const,
    };
    const known = { is_auto_detected: true, reason: null, since: null, mend: null, is_manual: false };
    await startApi({
      ...ANSWERS,
      getLatestMetrics: { rows, total_count: rows.length },
      getConnectionCluster: {
        ...{ clusters: [], receiver: null },
        info: {
          ...{ cluster_id: 4, role: 'binary_primary', membership_source: 'auto', cluster_name: 'shop' },
          ...{ replication_type: 'binary', auto_cluster_key: 'binary:2' },
        },
        relationships: [
          { ...link, id: 1, cluster_id: 4, source_name: 'b', target_name: 'a', is_auto_detected: true },
        ],
      },
      getClusterTopologyDetail: {
        ...{ slots: [], unread: [] },
        links: [
          {
            ...{ ...link, ...known },
            readings: [
              { ...READING, ...SENT, measured_at: 'sender', application_name: 'b' },
              { ...READING, ...SENT, measured_at: 'receiver', application_name: null, replay_pause_state },
            ],
          },
        ],
      },
    });
    show(<ReplicationView id={1} />, { at: '/servers/1?tab=replication' });
    const standbys = within(await screen.findByRole('region', { name: 'Standbys and subscribers' }));
    await standbys.findByText(words);
    expect(standbys.getAllByText(/replay/)).toHaveLength(1);
  },
);

// How replication runs within a cluster: who replicates from whom, how far behind, through which slots. What cannot be
// measured is null, with the reason and what mends it.
import { ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { clusterPath, RELATIONSHIP_TYPES } from './clusters.schemas.ts';

const MEASURED_AT = ['sender', 'receiver'] as const;

const seconds = (description: string) => s.nullable(s.number({ description }));
const since = () => s.nullable(s.timestamp({ description: 'Since when it is not known.' }));

/** Of figures that are of one moment. */
const unknown = {
  current_until: s.timestamp({
    description:
      'The figures are those of now until then, by the interval in force; after it they are unknown.',
  }),
  reason: s.nullable(s.text({ description: 'Why figures are not known, which are null then.' })),
  since: since(),
};

export const LinkReading = s.component('LinkReading', {
  measured_at: s.oneOf(MEASURED_AT, {
    description: 'sender: pg_stat_replication of the target; receiver: what the standby says of itself.',
  }),
  collected_at: s.timestamp(),
  state: s.nullable(s.text()),
  sync_state: s.nullable(s.text()),
  application_name: s.nullable(s.text()),
  slot_name: s.nullable(s.text()),
  write_lag_seconds: seconds('Null while idle: PostgreSQL measures it only when WAL is sent.'),
  flush_lag_seconds: seconds('As write_lag_seconds.'),
  replay_lag_seconds: seconds('As write_lag_seconds; of a receiver the age of what was replayed last.'),
  lag_bytes: s.nullable(s.bytes({ description: 'From the position of now to what is replayed.' })),
  replay_pause_state: s.nullable(
    s.text({ description: 'Of a receiver: not paused, pause requested or paused; null of a sender.' }),
  ),
  replay_paused_since: s.nullable(
    s.timestamp({
      description: 'The earliest sample of the last day since which it was paused in each; it may be longer.',
    }),
  ),
  ...unknown,
});

export const ClusterLink = s.component('ClusterLink', {
  source_connection_id: s.id({ description: 'Who receives.' }),
  target_connection_id: s.id({ description: 'From whom.' }),
  relationship_type: s.oneOf(RELATIONSHIP_TYPES),
  is_auto_detected: s.boolean(),
  is_manual: s.boolean({ description: 'Set by hand; both may be true.' }),
  readings: s.list(LinkReading),
  reason: s.nullable(s.text({ description: 'Why the lag is not known; null when it is.' })),
  since: since(),
  mend: s.nullable(s.text({ description: 'The statement that fixes it.' })),
});

export const ClusterSlot = s.component('ClusterSlot', {
  connection_id: s.id(),
  slot_name: s.text(),
  slot_type: s.nullable(s.text()),
  database_name: s.nullable(s.text()),
  is_active: s.nullable(s.boolean()),
  wal_status: s.nullable(s.text({ description: 'reserved, extended, unreserved or lost.' })),
  retained_bytes: s.nullable(s.bytes({ description: 'WAL kept for it.' })),
  safe_wal_size_bytes: s.nullable(
    s.bytes({ description: 'WAL that may still be written before it may be lost.' }),
  ),
  invalidation_reason: s.nullable(s.text()),
  inactive_since: s.nullable(s.timestamp()),
  collected_at: s.timestamp(),
  ...unknown,
});

export const ClusterTopologyDetail = s.component('ClusterTopologyDetail', {
  links: s.list(ClusterLink),
  slots: s.list(ClusterSlot),
  unread: s.list(
    s.object({ connection_id: s.id(), reason: s.text(), since: since(), mend: s.nullable(s.text()) }),
    {
      description: 'Servers whose slots could not be read.',
    },
  ),
});

const collected_at = '2026-11-20T10:00:00.000Z';
const known = { reason: null, since: null };

export const getClusterTopologyDetail = operation({
  id: 'getClusterTopologyDetail',
  route: 'GET /api/v1/clusters/{id}/topology',
  tag: 'clusters',
  summary: 'Replication within a cluster, with lag and slots',
  access: { object: 'cluster' },
  params: clusterPath(),
  paramsExample: { id: 'cluster-4' },
  extra: true,
  success: ok(ClusterTopologyDetail, {
    links: [
      {
        source_connection_id: 3,
        target_connection_id: 2,
        relationship_type: 'streams_from',
        is_auto_detected: true,
        is_manual: false,
        readings: [
          {
            measured_at: 'sender',
            collected_at,
            state: 'streaming',
            sync_state: 'async',
            application_name: 'orders-standby',
            slot_name: 'orders_standby',
            write_lag_seconds: 0.001,
            flush_lag_seconds: 0.002,
            replay_lag_seconds: 0.004,
            lag_bytes: 8192,
            replay_pause_state: null,
            replay_paused_since: null,
            current_until: '2026-11-20T10:01:15.000Z',
            ...known,
          },
        ],
        ...known,
        mend: null,
      },
    ],
    slots: [
      {
        connection_id: 2,
        slot_name: 'orders_standby',
        slot_type: 'physical',
        database_name: null,
        is_active: true,
        wal_status: 'reserved',
        retained_bytes: 8192,
        safe_wal_size_bytes: null,
        invalidation_reason: null,
        inactive_since: null,
        collected_at,
        current_until: '2026-11-20T10:12:30.000Z',
        ...known,
      },
    ],
    unread: [],
  }),
  notes: [
    'id as in GET /clusters/{id}, and server-N or cluster-spock-<prefix> of what is not stored too. Only servers the caller can read.',
    'Lag and slots are of the newest samples of pg_stat_replication and pg_replication_slots, taken at collected_at.',
    'Figures are null, with reason and since, once they are older than 2.5 of the intervals in force there, while the server does not answer, and of a standby without a WAL receiver.',
  ],
});

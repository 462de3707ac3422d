// The cluster of a server on its page: whom it replicates with, and that a standby which receives WAL does not replay it.
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { ClusterPanel } from './cluster-panel.tsx';

const LINK = { source_connection_id: 3, target_connection_id: 1, relationship_type: 'streams_from' as const };
const READING = {
  ...{ application_name: null, state: null, sync_state: null, slot_name: null, reason: null, since: null },
  ...{ write_lag_seconds: null, flush_lag_seconds: null, replay_lag_seconds: null, lag_bytes: null },
  ...{ collected_at: '2026-11-20T11:55:00.000Z', current_until: '2126-11-20T11:55:00.000Z' },
  ...{ measured_at: 'receiver' as const, replay_paused_since: null },
};

it.each(['paused', 'not paused'])(
  'says of a standby whose replay is %s whether it is paused',
  async (state) => {
    await startApi({
      getTopology: [],
      getConnectionCluster: {
        ...{ clusters: [], receiver: null },
        info: {
          ...{ cluster_id: 4, role: 'binary_primary', membership_source: 'auto', cluster_name: 'shop' },
          ...{ replication_type: 'binary', auto_cluster_key: 'binary:2' },
        },
        relationships: [
          { ...LINK, id: 1, cluster_id: 4, source_name: 'b', target_name: 'a', is_auto_detected: true },
        ],
      },
      getClusterTopologyDetail: {
        ...{ slots: [], unread: [] },
        links: [
          {
            ...{ ...LINK, is_auto_detected: true, reason: null, since: null, mend: null, is_manual: false },
            readings: [{ ...READING, replay_pause_state: state }],
          },
        ],
      },
    });
    show(<ClusterPanel id={1} />, { at: '/servers/1?tab=replication' });
    const item = await screen.findByRole('listitem');
    await expect
      .poll(() => item.textContent)
      .toBe(state === 'paused' ? 'b streams from itWAL replay paused' : 'b streams from it');
  },
);

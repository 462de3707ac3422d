// What arrives at Alertmanager for an alert that fires.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';
import { TIMESTAMP } from '../../testing/channels/wire.ts';

export function wire(request: PeerRequest): void {
  expect(request.url).toBe('/api/v2/alerts');
  const all = JSON.parse(request.body);
  const open = all.filter(({ endsAt }: { endsAt: string }) => endsAt > TIMESTAMP);
  expect(open).toMatchObject([
    { labels: { alertname: 'connection_utilization_percent', severity: 'warning' } },
  ]);
}

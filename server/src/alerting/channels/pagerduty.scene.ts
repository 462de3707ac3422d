// What arrives at PagerDuty for an alert that fires, and how large a message may be.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';
import { CANARY } from '../../testing/channels/wire.ts';

export function wire(request: PeerRequest): void {
  expect(request.json()).toMatchObject({
    routing_key: `${CANARY}-key`,
    event_action: 'trigger',
    dedup_key: expect.stringMatching(/^matriarch-1-[0-9a-f]{12}$/),
    payload: {
      summary: 'orders / orders-db-1: High connection usage',
      severity: 'warning',
      source: 'db1.example.com:5432',
    },
  });
}

export function fits(sent: string): void {
  expect(JSON.parse(sent).payload.summary.length).toBeLessThanOrEqual(1024);
  expect(Buffer.byteLength(sent)).toBeLessThan(512 * 1024);
}

// What arrives at a webhook for an alert that fires.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';
import { CANARY } from '../../testing/channels/wire.ts';

export function wire(request: PeerRequest): void {
  expect(request.headers).toMatchObject({
    authorization: `Bearer ${CANARY}-credentials`,
    'x-team': `${CANARY}-header`,
  });
  expect(request.json()).toMatchObject({
    notification_type: 'alert_fire',
    alerts: [{ alert_id: 1, severity: 'warning', url: 'https://matriarch.example/alerts/1' }],
  });
}

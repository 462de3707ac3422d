// What arrives at Mattermost for an alert that fires.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';

export function wire(request: PeerRequest): void {
  expect(request.json()).toMatchObject({
    text: '⚠️ orders / orders-db-1 \\[warning\\]: High connection usage',
    attachments: [{ title_link: 'https://matriarch.example/alerts/1', color: '#e08a00' }],
  });
}

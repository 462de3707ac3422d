// What arrives at Opsgenie for an alert that fires, and how large a message may be.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';
import { CANARY } from '../../testing/channels/wire.ts';

export function wire(request: PeerRequest): void {
  expect([request.url, request.headers.authorization]).toEqual(['/v2/alerts', `GenieKey ${CANARY}-key`]);
  expect(request.json()).toMatchObject({ alias: expect.stringMatching(/^matriarch-1-/), priority: 'P3' });
}

export function fits(sent: string): void {
  expect(JSON.parse(sent).message.length).toBeLessThanOrEqual(130);
}

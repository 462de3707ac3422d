// What arrives at Teams for an alert that fires, and how large a message may be.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';
import { HEADLINE } from '../../testing/channels/wire.ts';

export function wire(request: PeerRequest): void {
  const { type, attachments } = Object(request.json());
  expect(type).toBe('message');
  expect(attachments[0].contentType).toBe('application/vnd.microsoft.card.adaptive');
  expect(attachments[0].content.body[0].inlines[0].text).toContain(HEADLINE);
}

export function fits(sent: string): void {
  expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(28_000);
}

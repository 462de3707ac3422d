// What arrives at Slack for an alert that fires, and how large a message may be.
import { expect } from 'vitest';
import type { PeerRequest } from '../../testing/channels/http-peer.ts';
import { CANARY, HEADLINE } from '../../testing/channels/wire.ts';

export function wire(request: PeerRequest): void {
  expect(request.url).toBe(`/${CANARY}-url`);
  expect(request.json()).toMatchObject({
    text: `⚠️ ${HEADLINE}`,
    parse: 'none',
    blocks: [{ type: 'header', text: { type: 'plain_text', text: `⚠️ ${HEADLINE}` } }, {}, {}, {}],
  });
  expect(request.json()).not.toHaveProperty('attachments');
  expect(request.body).toContain('<https://matriarch.example/alerts/1|Open in Matriarch>');
}

export function fits(sent: string): void {
  const { text, blocks } = JSON.parse(sent);
  expect(text.length).toBeLessThanOrEqual(3000);
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const { type, text: own, fields = [], elements = [] } of blocks) {
    if (own) expect(own.text.length).toBeLessThanOrEqual(type === 'header' ? 150 : 3000);
    expect(fields.length).toBeLessThanOrEqual(10);
    for (const field of fields) expect(field.text.length).toBeLessThanOrEqual(2000);
    for (const element of elements) expect(element.text.length).toBeLessThanOrEqual(3000);
  }
}

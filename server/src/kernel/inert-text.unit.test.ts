// Texts that leave the process are whole characters, wherever they are cut.
import { expect, it } from 'vitest';
import { SAMPLE_ALERT } from '../alerting/channels/alert-facts.ts';
import { channels } from '../alerting/channels/catalog.gen.ts';
import { cutText, inertJson } from './inert-text.ts';

it('never cuts a character in two', () => {
  for (let at = 0; at < 12; at += 1) {
    const text = `${'a'.repeat(at)}😀${'b'.repeat(12)}`;
    for (let most = 0; most <= text.length; most += 1)
      for (const cut of [cutText(text, most), cutText(text, most, '…')]) {
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(Math.max(most, 1));
      }
  }
});

it('writes no half character into JSON, and leaves what only looks like one', () => {
  expect(inertJson(JSON.stringify(['a\ud83d', '\ude00b', '\\ud83d', '\\\ud83d', '😀']))).toBe(
    JSON.stringify(['a\ufffd', '\ufffdb', '\\ud83d', '\\\ufffd', '😀']),
  );
});

it('no channel sends half a character, wherever an emoji is in a title', () => {
  for (const before of [128, 129, 254, 298, 299, 511, 1023])
    for (const channel of channels) {
      const title = `${'a'.repeat(before)}😀😀`;
      const alert = { ...SAMPLE_ALERT, title, description: title, server_name: title, object_name: title };
      const timestamp = '2026-01-15T09:30:00Z';
      const body = channel.body({ kind: 'fire', key: 'k', timestamp, alerts: [alert] });
      expect([channel.name, before, body.isWellFormed(), /\\ud[89a-f]/.test(body)]).toEqual([
        channel.name,
        before,
        true,
        false,
      ]);
    }
});

// Some incidents of npm run eval, of each kind: the cause stands first in the answer to "What is wrong?".
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INCIDENTS } from '../../testing/incidents/incidents.ts';
import { IncidentPlayer } from '../../testing/incidents/player.ts';

const SOME = [
  'a lock convoy behind an open transaction',
  'a migration that waits for a report, and blocks everybody',
  'archiving that fails',
  'a slot that lost its WAL',
  'fsync switched off',
];

let player: IncidentPlayer;
beforeAll(async () => {
  player = await IncidentPlayer.start();
});
afterAll(() => player.close());

it('there are forty', () => {
  expect(new Set(INCIDENTS.map(({ name }) => name)).size).toBe(40);
});

it.each(SOME)('%s', async (name) => {
  const incident = INCIDENTS.find((one) => one.name === name);
  if (!incident) throw new Error(`There is no incident ${name}.`);
  const { place, points } = await player.play(incident);
  expect(place, JSON.stringify(points.slice(0, 3))).toBe(1);
});

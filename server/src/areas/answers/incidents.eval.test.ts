// All incidents, for npm run eval: where the cause of each stands in the answer to "What is wrong?", and how many were named among the
// first three. Guards: at least 32 of 40, with no model.
import process from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INCIDENTS } from '../../testing/incidents/incidents.ts';
import { IncidentPlayer, type Played } from '../../testing/incidents/player.ts';

const NAMED_WITHIN = 3;
const LEAST_SHARE = 0.8;

let player: IncidentPlayer;
const played: Played[] = [];
const print = (line: string) => process.stdout.write(`${line}\n`);

beforeAll(async () => {
  player = await IncidentPlayer.start();
});
afterAll(() => player.close());

it.each(INCIDENTS.map((incident) => [incident.name, incident] as const))('%s', async (name, incident) => {
  const one = await player.play(incident);
  played.push(one);
  print(`${one.place === undefined ? 'not named' : `named at ${one.place}`}: ${name}`);
  if (one.place === undefined || one.place > NAMED_WITHIN)
    for (const { kind, severity, name: point, says } of one.points.slice(0, 4))
      print(`  ${severity} ${kind} ${point}: ${says.slice(0, 140)}`);
});

it('names the causes of most', () => {
  const named = played.filter(({ place }) => place !== undefined && place <= NAMED_WITHIN);
  const first = played.filter(({ place }) => place === 1);
  print(
    `${named.length} of ${played.length} causes named among the first ${NAMED_WITHIN}, ${first.length} of them first`,
  );
  expect(named.length / Math.max(1, played.length)).toBeGreaterThanOrEqual(LEAST_SHARE);
});

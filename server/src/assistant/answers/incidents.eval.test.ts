// All incidents, for npm run eval: where the cause of each stands in the answer to "What is wrong?", and how many were named among the
// first three. A model that the environment names is asked the same over the chat, and its answer is held against the same causes.
// Guards: at least 32 of 40, with no model.
import process from 'node:process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { modelFrom } from '../../testing/incidents/asking.ts';
import { INCIDENTS } from '../../testing/incidents/incidents.ts';
import { IncidentPlayer, type Played } from '../../testing/incidents/player.ts';

const NAMED_WITHIN = 3;
const LEAST_SHARE = 0.8;
/** A model may take many steps. */
const PATIENCE_MS = 900_000;

let player: IncidentPlayer;
const played: Played[] = [];
const print = (line: string) => process.stdout.write(`${line}\n`);

beforeAll(async () => {
  player = await IncidentPlayer.start(modelFrom(process.env));
});
afterAll(() => player.close());

const placed = (place: number | undefined) => (place === undefined ? 'not named' : `named at ${place}`);
const isNamed = (place: number | undefined) => place !== undefined && place <= NAMED_WITHIN;

function told(places: readonly (number | undefined)[], by: string): string {
  const [named, first] = [places.filter(isNamed), places.filter((place) => place === 1)];
  return `${named.length} of ${places.length} causes named among the first ${NAMED_WITHIN}, ${first.length} of them first, ${by}`;
}

it.each(INCIDENTS.map((incident) => [incident.name, incident] as const))(
  '%s',
  async (name, incident) => {
    const one = await player.play(incident);
    played.push(one);
    const { place, points, asked } = one;
    print(`${placed(place)}: ${name}`);
    if (!isNamed(place))
      for (const { kind, severity, name: point, says } of points.slice(0, 4))
        print(`  ${severity} ${kind} ${point}: ${says.slice(0, 140)}`);
    if (asked) print(`  by the model ${placed(asked.place)}`);
    if (asked && !isNamed(asked.place)) print(`  ${asked.text.slice(-400).replaceAll('\n', '\n  ')}`);
  },
  PATIENCE_MS,
);

it('names the causes of most', () => {
  const places = played.map(({ place }) => place);
  print(told(places, 'without a model'));
  const asked = played.flatMap((one) => (one.asked ? [one.asked.place] : []));
  if (asked.length > 0) print(told(asked, 'by the model'));
  expect(places.filter(isNamed).length / Math.max(1, played.length)).toBeGreaterThanOrEqual(LEAST_SHARE);
});

// What the datastore knows of the work of all processes, as /metrics shows it: also while that work fails, and asked for once in five
// seconds only.
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { Figures } from '../../kernel/figures.ts';
import { PartStates } from '../../kernel/part-states.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { testDatabase } from '../../testing/servers/database.ts';
import { createOwnFigures } from './own-figures.service.ts';

const NOBODY = { accept: undefined, authorization: undefined };

const figure = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

async function scene(token?: Secret) {
  const test = await testDatabase();
  onTestFinished(() => test.close());
  const figures = new Figures();
  const { db } = test;
  let now = 0;
  const clock = { ...systemClock, now: () => systemClock.now(), monotonic: () => now };
  const ask = createOwnFigures({ db, clock, figures, token });
  return {
    ...{ db, figures, ask },
    text: async (request = NOBODY) => (await ask(request)).text,
    later: (ms: number) => {
      now += ms;
    },
  };
}

it('says when work succeeded last, also while it fails in a process', async () => {
  const { db, figures, text } = await scene();
  const parts = new PartStates(db, systemClock, 'one');
  figures.add(parts.figures);
  await parts.ran('alerter');
  await db.run(sql`/* test.past */
    update matriarch.part_states set succeeded_at = now() - interval '10 minutes'`);
  await parts.failed('alerter', new Error('a server called payroll'));
  await db.run(sql`/* test.past */
    update matriarch.part_states set failing_since = now() - interval '2 minutes'`);
  const shown = await text();
  expect(figure(shown, 'matriarch_part_last_good_age_seconds{part="alerter"}')).toBeCloseTo(600, -2);
  expect(figure(shown, 'matriarch_part_failing_seconds{part="alerter"}')).toBeCloseTo(120, -2);
  expect(figure(shown, 'matriarch_rounds_total{part="alerter",outcome="good"}')).toBe(1);
  expect(figure(shown, 'matriarch_rounds_total{part="alerter",outcome="failed"}')).toBe(1);
  expect(shown).not.toContain('payroll');
});

it('shows what several parts of a process count under one name as one figure', async () => {
  const { db, figures, text } = await scene();
  const [one, other] = [new PartStates(db, systemClock, 'one'), new PartStates(db, systemClock, 'one')];
  figures.add(one.figures);
  figures.add(other.figures);
  await one.ran('maintenance');
  await other.ran('alerter');
  const shown = await text();
  expect(shown.match(/^# TYPE matriarch_rounds_total /gm)).toHaveLength(1);
  expect(shown.match(/^matriarch_rounds_total\{.*outcome="good"\} 1$/gm)).toHaveLength(2);
});

it('asks the datastore once in five seconds, however many want to know', async () => {
  const { db, text, later } = await scene();
  const known = async () => figure(await text(), 'matriarch_part_failing_seconds{part="findings"}');
  expect(await Promise.all([known(), known()])).toEqual([undefined, undefined]);
  await new PartStates(db, systemClock, 'one').ran('findings');
  later(4000);
  expect(await known()).toBeUndefined();
  later(2000);
  expect(await known()).toBe(0);
});

it('asks for the token of the settings, and takes no other', async () => {
  const { ask } = await scene(new Secret('right'));
  const by = (authorization: string | undefined) => ask({ accept: undefined, authorization });
  for (const wrong of [undefined, '', 'right', 'Bearer wrong', 'Bearer rightx', 'Basic right'])
    await expect(by(wrong)).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(by('Bearer right')).resolves.toMatchObject({ type: expect.stringContaining('text/plain') });
});

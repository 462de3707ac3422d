// Whether all that was read is stored, once and as it was, while nothing happens; and that what compares it notices what is missing.
// Through faults: complete.proof.test.ts.
import { expect, it } from 'vitest';
import { sql } from '../kernel/sql.ts';
import { pollMoved } from '../testing/collecting-tests.ts';
import { COUNTERS, steps } from '../testing/faults/counters.ts';
import { expectComplete, newFaultScene } from '../testing/faults/fault-scenarios.ts';

const deleteSample = (at: number) => sql`delete from metrics.test_counters where read_at_us = ${at}`;
const doubleSample = (at: number) => sql`
  insert into metrics.test_counters (connection_id, collected_at, row_no, read_at_us, steps)
  select connection_id, collected_at, row_no + 1, read_at_us, steps
  from metrics.test_counters where read_at_us = ${at}`;
const deleteTick = (id: number, offset: number) => sql`
  delete from metrics.test_counter_objects__ticks
  where collected_at = (
    select distinct collected_at from metrics.test_counter_objects__ticks
    where connection_id = ${id} order by collected_at limit 1 offset ${offset}
  )`;

it('what is stored balances while nothing happens, and notices what is missing, doubled or wrong', async () => {
  const scene = await newFaultScene();
  const { house, generator, id } = scene;
  const collector = house.start({ probes: COUNTERS });
  await pollMoved(house, () => generator.readings('test_counter_objects').length).toBeGreaterThanOrEqual(4);
  await pollMoved(house, () => generator.readings('test_counters').length).toBeGreaterThanOrEqual(4);
  await collector.stop();
  await expectComplete(scene);
  const [first = 0, , third = 0] = generator.readings('test_counters');
  const { db } = house;
  await db.run(deleteSample(first));
  await db.run(doubleSample(third));
  expect(await generator.verdict(db, id)).toMatchObject({
    lost: [`test_counters ${first}`],
    duplicated: [`test_counters ${third}`],
    wrong: [],
  });
  const second = generator.readings('test_counter_objects')[1] ?? 0;
  await db.run(deleteTick(id, 1));
  const verdict = await generator.verdict(db, id);
  expect(verdict.lost).toContain(`test_counter_objects ${second}`);
  expect(verdict.wrong.length).toBeGreaterThan(0);
  expect(steps(20_000_500, 1)).toBe(20_000);
});

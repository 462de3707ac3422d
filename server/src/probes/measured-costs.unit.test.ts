// What probes were measured to cost: figures that can be true, of probes that are there. A new probe needs none.
import { expect, it } from 'vitest';
import { probeCatalog } from '../cli/gen/documents.ts';
import { probes } from './catalog.gen.ts';
import { readMeasuredCosts } from './measured-costs.ts';
import { isHostProbe } from './types.ts';

it('are of probes that are there', async () => {
  const known: readonly string[] = probes.map(({ name }) => name);
  expect(Object.keys(await readMeasuredCosts()).filter((name) => !known.includes(name))).toEqual([]);
});

it('are numbers, or null where a probe costs the server nothing or did not run', async () => {
  const costs = await readMeasuredCosts();
  for (const [name, { idle_ms, loaded_ms }] of Object.entries(costs))
    expect({ name, isCost: idle_ms === null || (idle_ms > 0 && Number(loaded_ms) > 0) }).toMatchObject({
      isCost: true,
    });
  const hosts = probes.filter((probe) => isHostProbe(probe));
  expect(hosts.map(({ name }) => costs[name]?.idle_ms ?? null)).toEqual(hosts.map(() => null));
});

it('of a probe that nobody measured yet, the catalog says so', () => {
  const [probe = expect.fail()] = probes.filter((one) => !isHostProbe(one));
  const costs = { [probe.name]: { idle_ms: 0.2, loaded_ms: 0.1 } };
  expect(probeCatalog([probe], {}).text).toContain('| not measured |');
  expect(probeCatalog([probe], costs).text).toContain('| 0.1–0.2 ms,');
});

import { describe, expect, it } from 'vitest';
import { probes } from './catalog.gen.ts';
import { readMeasuredCosts } from './measured-costs.ts';
import { isHostProbe } from './types.ts';

describe('measured costs', () => {
  it('are there for every probe, and for no other', async () => {
    const costs = await readMeasuredCosts();
    expect(Object.keys(costs).sort()).toEqual(probes.map(({ name }) => name).sort());
  });

  it('are numbers but where a probe costs the server nothing or needs an extension that was not there', async () => {
    const costs = await readMeasuredCosts();
    const unmeasured = probes.filter(({ name }) => costs[name]?.idle_ms === null).map(({ name }) => name);
    const expected = probes
      .filter((probe) => isHostProbe(probe) || probe.name.startsWith('spock_'))
      .map(({ name }) => name);
    expect(unmeasured).toEqual(expected);
    for (const [name, { idle_ms, loaded_ms }] of Object.entries(costs))
      expect({ name, isCost: idle_ms === null || (idle_ms > 0 && Number(loaded_ms) > 0) }).toMatchObject({
        isCost: true,
      });
  });
});

import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { growthFlag, LEAST_GROWING_PERCENT, MEMORY_FLAGS } from './memory-flags.ts';
import { COMPILE_FLAGS, isSteadyWork } from './settled-runtime.ts';

const run = promisify(execFile);

/** Set while a program runs, a flag that the runtime does not know is passed over; on its command line it is an error. */
const FLAGS = [...MEMORY_FLAGS, growthFlag(LEAST_GROWING_PERCENT), ...COMPILE_FLAGS];

it.each(FLAGS)('%s is known to the runtime', async (flag) => {
  await expect(run(process.execPath, [flag, '--version'])).resolves.toMatchObject({ stdout: /^v/ });
});

it('compiles earlier where there is steady work, which the minute of the start is not', () => {
  expect(isSteadyWork({ looks: 2, busy: 0.05 })).toBe(true);
  expect(isSteadyWork({ looks: 1, busy: 0.5 })).toBe(false);
  expect(isSteadyWork({ looks: 9, busy: 0.005 })).toBe(false);
});

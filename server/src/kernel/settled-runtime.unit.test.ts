import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MEMORY_FLAGS } from './memory-flags.ts';
import { COMPILE_FLAGS } from './settled-runtime.ts';

const run = promisify(execFile);

/** Set while a program runs, a flag that the runtime does not know is passed over; on its command line it is an error. */
it.each([...MEMORY_FLAGS, ...COMPILE_FLAGS])('%s is known to the runtime', async (flag) => {
  await expect(run(process.execPath, [flag, '--version'])).resolves.toMatchObject({ stdout: /^v/ });
});

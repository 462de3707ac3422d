// The program as a person starts it by mistake, or reads in part: real processes. How it starts, and what is killed, taken or
// cannot be reached, are in app.proof.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { eachInItsFolder, launch } from '../testing/app-process.ts';

/** Of the sources, which do the same where the program cannot be built. */
const script = fileURLToPath(new URL('../main.mjs', import.meta.url));

eachInItsFolder();

it('ends quietly when nobody reads any further', async () => {
  const child = spawn(process.execPath, [script, 'config', 'reference'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // As `| head` does: the pipe is closed before anything was read.
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
});

describe('mistakes stop the start with one sentence', () => {
  it.each([[['--log-level', 'loud'], '--log-level: found "loud", allowed is trace']])(
    '%j',
    async (args, sentence) => {
      const child = launch(...args);
      expect(await child.ended).toBe(1);
      expect(child.errors()).toContain(sentence);
    },
  );
});

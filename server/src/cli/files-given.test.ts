// Every command that is given a file, on what is not one: a directory, nothing, an empty file, a path through a file. Each answers in one
// sentence that names the path and says what to do, never with the code of a system call.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliOnFiles } from '../testing/cli-on-files.ts';

const { matriarch, file, folder } = cliOnFiles('');

/** Before the path, by the name of the command. */
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['plan', ['plan']],
  ['logs', ['logs']],
  ['user create', ['user', 'create', 'ann', '--password-file']],
  ['store copy', ['store', 'copy', '--to-file']],
];

describe.each(COMMANDS)('matriarch %s', (_name, argv) => {
  it.each([
    ['a directory', () => folder(), /is a directory[:;] name/],
    ['nothing', () => join(folder(), 'none'), /none does not exist: check the path/],
    [
      'a path through a file',
      async () => join(await file('plain', 'x'), 'y'),
      /a part of the path is a file/,
    ],
    ['an empty file', () => file('empty', ''), /is empty: |no line is of a PostgreSQL log/i],
  ])('answers %s kindly', async (_what, made, expected) => {
    const { code, err, out } = await matriarch(...argv, await made());
    expect(code).not.toBe(0);
    expect(`${err}\n${out}`).toMatch(expected);
    expect(`${err}\n${out}`).not.toMatch(/E(?:ISDIR|NOENT|NOTDIR|ACCES)|\bat .*\.ts:/);
  });
});

// Commands that print a password, as real processes.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../kernel/secret.ts';
import { testDirectory } from '../../../testing/servers/postgres.ts';
import { maskedSaid, runCommand, SourceFailed } from './run-command.ts';

const NONE = new Map<string, Secret>();
const sh = (script: string, ...args: string[]) => ['/bin/sh', '-c', script, 'sh', ...args];
const run = (script: string, ...args: string[]) =>
  runCommand({ argv: sh(script, ...args), environment: NONE });
const failure = async (work: Promise<Secret>): Promise<SourceFailed> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SourceFailed)) throw new Error('it did not fail');
  return error;
};

describe('a command', () => {
  it('gives what it prints, without the end of the line', async () => {
    expect((await run(`printf 'a b\\n'`)).reveal()).toBe('a b');
    expect((await run(`printf 'a\\r\\n'`)).reveal()).toBe('a');
    expect((await run('printf " x "')).reveal()).toBe(' x ');
  });

  it('gets a clean environment and values as items that no shell reads', async () => {
    process.env.CANARY_OF_PARENT = 'canary';
    const names = await run(`env | cut -d= -f1 | sort | tr '\\n' ' '`);
    delete process.env.CANARY_OF_PARENT;
    expect(
      names
        .reveal()
        .trim()
        .split(' ')
        .filter((name) => !/^(?:PWD|SHLVL|_|OLDPWD)$/.test(name)),
    ).toEqual(['LANG', 'PATH']);
    expect((await run('printf %s "$1"', '$(id); `id`')).reveal()).toBe('$(id); `id`');
    const environment = new Map([['VAULT_ADDR', new Secret('https://vault')]]);
    expect((await runCommand({ argv: sh('printf %s "$VAULT_ADDR"'), environment })).reveal()).toBe(
      'https://vault',
    );
  });

  it('that hangs is ended with all that it started', async () => {
    const file = path.join(testDirectory('hang'), 'pid');
    const argv = sh(`sleep 60 & echo $! > ${file}; wait`);
    const error = await failure(runCommand({ argv, environment: NONE, most_ms: 300 }));
    expect(error.message).toBe('it did not end within 0.3 s');
    const pid = Number(await readFile(file, 'utf8'));
    const state = () =>
      readFile(`/proc/${pid}/stat`, 'utf8').then(
        (text) => text.split(' ')[2],
        () => 'gone',
      );
    await expect.poll(state).toMatch(/Z|gone/);
  });

  it('that prints megabytes, nothing, several lines or fails gives none', async () => {
    expect((await failure(run('exec head -c 50000000 /dev/zero'))).message).toBe(
      'it printed more than 64 kB',
    );
    expect((await failure(run('true'))).message).toBe('it is empty');
    expect((await failure(run(`printf 'canary-1\\ncanary-2\\n'`))).message).toBe('it has more than one line');
    expect((await failure(runCommand({ argv: ['/nowhere'], environment: NONE }))).message).toBe(
      'it could not be started (ENOENT)',
    );
    const error = await failure(run(`echo canary-out; echo 'denied: token=s3cr3t99' >&2; exit 3`));
    expect(error.message).toBe('it ended with code 3');
    expect(error.said).toBe('denied: token=…');
  });
});

describe('what a command says', () => {
  it('is cut, on one line and without what could be a secret', () => {
    const said = maskedSaid(
      'GET https://u:pw@vault/x\n"password": "abc" hvs.CAESIJzVQ12345678901234 canary-env\n'.padEnd(
        5000,
        'word ',
      ),
      [new Secret('canary-env')],
    );
    expect(said).not.toMatch(/pw@|abc|CAESI|canary|\n/);
    expect(said.length).toBeLessThanOrEqual(301);
  });
});

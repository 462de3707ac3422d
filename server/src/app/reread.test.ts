// SIGHUP reads the settings of a running server again: the log level counts at once, what else has changed is named without its value, and
// settings that are wrong change nothing.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { newKeyFile } from '../testing/api-process.ts';
import { script } from '../testing/app-process.ts';
import { startChild } from '../testing/child.ts';
import { testDatabase } from '../testing/servers/database.ts';
import { testDirectory } from '../testing/servers/postgres.ts';

it('rereads the log level, says what needs a restart, and goes on after a mistake', async () => {
  const { url, close } = await testDatabase();
  onTestFinished(close);
  const directory = testDirectory('reread');
  const [file, token] = ['matriarch.yaml', 'token'].map((name) => path.join(directory, name));
  if (file === undefined || token === undefined) throw new Error('no files');
  writeFileSync(token, 'canary-one', { mode: 0o600 });
  const settings = (...lines: string[]) =>
    writeFileSync(
      file,
      [`datastore_url: ${url.reveal()}`, `data_dir: ${directory}`, 'port: 0', ...lines].join('\n'),
    );
  settings('log_level: warn', 'metrics: {}');
  const child = startChild({
    script,
    args: ['start', '--roles', 'api', '--secret-key-file', newKeyFile(), '--config', file],
  });
  onTestFinished(async () => {
    await child.kill('SIGKILL');
  });
  for (let line = await child.line(); !line?.includes('Ctrl-C stops'); line = await child.line())
    if (line === null) throw new Error(child.errors());
  const events = () =>
    child
      .errors()
      .split('\n')
      .filter((line) => /settings\.(?:not_)?reread/.test(line))
      .map((line): unknown => JSON.parse(line));
  const reread = async (seen: number) => {
    child.process.kill('SIGHUP');
    await expect.poll(events).toHaveLength(seen);
    return events().at(-1);
  };
  settings('log_level: debug', 'metrics: {}');
  expect(await reread(1)).toMatchObject({
    event: 'settings.reread',
    log_level: 'debug',
    needs_restart: [],
  });
  settings('log_level: debug', 'log_requests: true', 'metrics:', `  token_file: ${token}`);
  expect(await reread(2)).toMatchObject({
    needs_restart: ['log_requests', 'metrics.token', 'metrics.token_file'],
  });
  settings('log_level: loud');
  expect(await reread(3)).toMatchObject({
    event: 'settings.not_reread',
    reason: expect.stringMatching(/log_level.*loud.*debug/),
  });
  expect(child.errors()).not.toContain('canary');
  expect(await child.kill('SIGTERM')).toBe(0);
});

// The committed document is held to two linters' recommended rules, warnings included.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
/** No calls home from a test. */
const QUIET = ['REDOCLY_TELEMETRY=off', 'REDOCLY_SUPPRESS_UPDATE_NOTICE=true'];
const bin = (name: string) => path.join(ROOT, 'node_modules/.bin', name);

async function lint(name: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await run('env', [...QUIET, process.execPath, bin(name), ...args], {
      cwd: ROOT,
    });
    return `ok ${stdout}${stderr}`;
  } catch (error) {
    return `failed ${String(Object(error).stdout)}${String(Object(error).stderr)}`;
  }
}

it('redocly finds nothing in the OpenAPI document', async () => {
  const report = await lint('redocly', ['lint', '--max-problems=20', 'server/openapi.json']);
  expect(report).toMatch(/^ok /);
  expect(report).not.toMatch(/warning/i);
}, 60_000);

it('spectral finds nothing in the OpenAPI document', async () => {
  const report = await lint('spectral', ['lint', '--fail-severity=hint', 'server/openapi.json']);
  expect(report).toMatch(/^ok /);
}, 60_000);

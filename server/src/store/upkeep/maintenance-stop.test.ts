// Maintenance while everything is about to stop: what fails then is nobody's concern, and nothing is begun any more.
import { expect, it } from 'vitest';
import { Database } from '../../kernel/db.ts';
import { createLog, silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { startMaintenance } from './maintenance.ts';

async function failing(isStopping: boolean): Promise<string> {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const url = new Secret('postgres://nobody@127.0.0.1:1/nowhere');
  const db = new Database({ url, log: silentLog, applicationName: 'test' });
  const ending = new AbortController();
  const part = startMaintenance({ db, log, probes: [], signal: ending.signal });
  if (isStopping) ending.abort();
  // The attempt that was under way fails before the part itself is stopped, which comes after others.
  await expect(db.one({ text: 'select 1', values: [] })).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await part.stop();
  await db.stop();
  return lines.join('');
}

it('logs a failure, but none once a stop was asked for', async () => {
  expect(await failing(false)).toContain('store.maintenance_failed');
  expect(await failing(true)).toBe('');
});

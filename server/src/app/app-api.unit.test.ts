import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { settings } from '../cli/settings.ts';
import { lockedVault } from '../identity/secrets/vault.service.ts';
import { systemClock } from '../kernel/clock.ts';
import { loadConfig } from '../kernel/config.ts';
import { Database } from '../kernel/db.ts';
import { Lifecycle } from '../kernel/lifecycle.ts';
import { createLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { prepareApi } from './app-api.ts';

it('is prepared without a word to the datastore or the vault, and answers that both are away until they are there', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'matriarch-api-'));
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  const lifecycle = new Lifecycle(log);
  onTestFinished(async () => {
    await lifecycle.stop();
    rmSync(folder, { recursive: true });
  });
  // A socket directory without a socket.
  const url = new Secret(`postgresql://matriarch@/matriarch?host=${encodeURIComponent(folder)}`);
  const db = lifecycle.add(new Database({ url, log, applicationName: 'test', max: 2 }));
  const argv = ['--port', '0', '--data-dir', folder];
  const api = await prepareApi({
    config: loadConfig({ settings, argv, env: {} }),
    log,
    clock: systemClock,
    db,
    vault: lockedVault(db),
    lifecycle,
    url,
    webRoot: undefined,
    publicUrl: undefined,
  });
  expect(lines).toEqual([]);
  const response = await fetch(`${await api.listen()}/health`);
  expect(response.status).toBe(503);
});

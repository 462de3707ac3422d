// The program as a person starts it: real processes, real signals, real HTTP. A datastore of one’s own, and what is killed,
// taken or cannot be reached, are in app.proof.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  collected,
  dataDir,
  eachInItsFolder,
  launch,
  running,
  script,
  serverInfo,
  signIn,
} from '../testing/app-process.ts';

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

describe('with the embedded datastore', () => {
  it('shows true facts about itself, keeps sessions over a restart and leaves no process behind', async () => {
    const first = await running();
    const token = await signIn(first.url, first.link);
    const info = await collected(first.url, token);
    expect(info.postgresql.version).toMatch(/^PostgreSQL 18\./);
    expect(info.databases.map(({ name }) => name)).toEqual(['matriarch', 'postgres']);
    expect(info.key_settings).toHaveLength(16);
    const asked = await fetch(`${first.url}/api/v1/mcp/tools/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'query_datastore',
        arguments: { query: 'select count(*) as many from connections' },
      }),
    });
    const said = JSON.stringify(await asked.json());
    expect(said).toContain('many');
    expect(said).not.toContain('"isError":true');
    const postmaster = Number(
      readFileSync(path.join(dataDir(), 'postgres/postmaster.pid'), 'utf8').split('\n')[0],
    );
    expect(await first.child.kill('SIGINT')).toBe(0);
    expect(existsSync(`/proc/${postmaster}`)).toBe(false);
    const second = await running();
    expect((await serverInfo(second.url, token)).collected_at).not.toBeNull();
  });
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

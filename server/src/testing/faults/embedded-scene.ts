// The embedded datastore as tests start it: in fresh directories, here or in a process of its own that may be killed.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../datastore/embedded.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Secret } from '../../kernel/secret.ts';
import { testDirectory } from '../servers/postgres.ts';

/** Runs `startEmbedded` in a process of its own. */
export const holderScript = path.join(import.meta.dirname, 'hold-embedded.ts');

const root = testDirectory('embedded');
let count = 0;

/** Of a data directory that does not exist yet. */
export function freshDir(): string {
  count += 1;
  const parent = path.join(root, String(count));
  mkdirSync(parent, { mode: 0o711 });
  return path.join(parent, 'data');
}

export function startIn(dataDir: string, said: string[] = []): Promise<Embedded> {
  return startEmbedded({
    dataDir,
    log: silentLog,
    progress: (sentence) => said.push(sentence),
  });
}

export async function query(url: Secret | string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: typeof url === 'string' ? url : url.reveal() });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

interface Facts {
  port: number;
  pid: number;
  url: string;
  refused?: string;
}

/** What the process says of itself. */
export function facts(line: string | null): Facts {
  const parsed: Facts = JSON.parse(line ?? '{}');
  return parsed;
}

export function readPid(directory: string): string {
  const file = path.join(directory, 'postmaster.pid');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

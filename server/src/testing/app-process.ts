// The program as a person starts it, for tests: real processes that end with the test, in a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { sleep } from '../kernel/clock.ts';
import { type Child, startChild } from './child.ts';
import { script } from './program.ts';

export { script } from './program.ts';

let folder = '';
let children: Child[] = [];

/** To be called once in a file: each of its tests has a folder, and what it starts ends with it. */
export function eachInItsFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'matriarch-app-'));
  });
  afterEach(async () => {
    for (const child of children) await child.kill('SIGTERM');
    children = [];
    rmSync(folder, { recursive: true, force: true });
  });
}

interface Running {
  child: Child;
  url: string;
  link: string | undefined;
}

export const dataDir = (name = 'data') => path.join(folder, name);

export function startWith(args: string[]): Child {
  const child = startChild({ script, args: ['start', ...args] });
  children.push(child);
  return child;
}

export const launch = (...args: string[]): Child =>
  startWith(['--port', '0', '--data-dir', dataDir(), ...args]);

/** Resolves when it answers. */
export async function running(...args: string[]): Promise<Running> {
  const child = launch(...args);
  let url: string | undefined;
  let link: string | undefined;
  for (;;) {
    const line = await child.line();
    if (line === null) throw new Error(`it ended early: ${child.errors()}`);
    url ??= /is ready: (\S+)/.exec(line)?.[1];
    link ??= /\/link#(\S+)/.exec(line)?.[1];
    if (url && line.includes('Ctrl-C')) return { child, url, link };
  }
}

export async function signIn(url: string, link: string | undefined): Promise<string> {
  const response = await fetch(`${url}/api/v1/auth/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link }),
  });
  expect(response.status).toBe(200);
  return /session_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
}

interface Info {
  collected_at: string | null;
  postgresql: { version: string | null };
  system: { memory_total_bytes: number | null };
  databases: { name: string }[];
  key_settings: unknown[];
}

export async function serverInfo(url: string, token: string): Promise<Info> {
  const response = await fetch(`${url}/api/v1/server-info/1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

export async function collected(url: string, token: string): Promise<Info> {
  for (;;) {
    const info = await serverInfo(url, token);
    if (info.key_settings.length > 0 && info.databases.length > 0 && info.system.memory_total_bytes !== null)
      return info;
    await sleep(100);
  }
}

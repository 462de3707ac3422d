// A hint that connections changed: NOTIFY wakes the collector at once; without it the next poll finds the change.
// Holds one connection of its own on the datastore, and opens a new one when that is lost.
import pg from 'pg';
import { sleep } from '../kernel/clock.ts';
import { clientOptions } from '../kernel/db.ts';
import type { Part } from '../kernel/lifecycle.ts';
import type { Secret } from '../kernel/secret.ts';

const CHANNEL = 'matriarch_connections';
const RETRY_MS = 2000;

async function listen(client: pg.Client, onHint: () => void, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  client.on('notification', onHint);
  client.on('error', end);
  client.on('end', end);
  signal.addEventListener('abort', end, { once: true });
  try {
    await client.connect();
    await client.query(`/* collector.listen */ listen ${CHANNEL}`);
    onHint();
    if (!signal.aborted) await over.promise;
  } finally {
    signal.removeEventListener('abort', end);
    await client.end().catch(() => undefined);
  }
}

export function listenForHints(url: Secret, onHint: () => void): Part {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      const options = { ...clientOptions(url, 'matriarch hints'), connectionTimeoutMillis: 5000 };
      await listen(new pg.Client(options), onHint, signal).catch(() => undefined);
      await sleep(RETRY_MS, signal);
    }
  };
  const done = run();
  return {
    name: 'collector-hints',
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

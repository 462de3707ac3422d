// Hints that something changed: NOTIFY wakes whoever listens at once; without it the next poll finds the change. Holds
// one connection of its own on the datastore, and opens a new one when that is lost.
import pg from 'pg';
import { sleep } from './clock.ts';
import type { Part } from './lifecycle.ts';
import type { Secret } from './secret.ts';
import { clientOptions } from './session.ts';
import { identifier } from './sql.ts';

const RETRY_MS = 2000;

export interface HintsOptions {
  /** The datastore. */
  url: Secret;
  channels: readonly string[];
  /** Told at each hint, and whenever listening begins anew, for hints may have been missed. */
  onHint(): void;
}

export interface Hints extends Part {
  /** Changes are told as they come; otherwise only looking finds them. */
  readonly isListening: boolean;
}

interface Listening {
  is: boolean;
}

async function listen(
  client: pg.Client,
  { channels, onHint, state }: HintsOptions & { state: Listening },
  signal: AbortSignal,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const end = () => over.resolve();
  client.on('notification', onHint);
  client.on('error', end);
  client.on('end', end);
  signal.addEventListener('abort', end, { once: true });
  try {
    await client.connect();
    for (const channel of channels)
      await client.query(`/* hints.listen */ listen ${identifier(channel).text}`);
    state.is = true;
    onHint();
    if (!signal.aborted) await over.promise;
  } finally {
    state.is = false;
    signal.removeEventListener('abort', end);
    await client.end().catch(() => undefined);
  }
}

export function listenForHints(options: HintsOptions): Hints {
  const stopping = new AbortController();
  const state: Listening = { is: false };
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      const client = { ...clientOptions(options.url, 'matriarch hints'), connectionTimeoutMillis: 5000 };
      await listen(new pg.Client(client), { ...options, state }, signal).catch(() => undefined);
      await sleep(RETRY_MS, signal);
    }
  };
  const done = run();
  return {
    name: 'hints',
    get isListening() {
      return state.is;
    },
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}

// What is remembered of a request, by requests to a server that answers with it.
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { Call } from './call.ts';

async function callOf(url: string): Promise<Call> {
  const app = fastify();
  let call: Call | undefined;
  app.get('*', async (request) => {
    call = new Call(request);
    return '';
  });
  await app.inject({ url, method: 'GET' });
  await app.close();
  if (!call) throw new Error('nobody was called');
  return call;
}

it.each([
  ['/a/b?c=d&e=f?', '/a/b', 'c=d&e=f?'],
  ['/a%20b', '/a%20b', ''],
  ['/a?', '/a', ''],
  ['/a://b/c', '/a://b/c', ''],
])('knows path and query of %s', async (url, pathname, search) => {
  expect(await callOf(url)).toMatchObject({ pathname, search, secure: false, address: '127.0.0.1' });
});

it('tells whoever listens that it was ended, and whoever asks later', async () => {
  const early = await callOf('/');
  const { signal } = early;
  expect(signal.aborted).toBe(false);
  let heard = 0;
  signal.addEventListener('abort', () => {
    heard += 1;
  });
  early.abort();
  expect([heard, signal.aborted, early.signal === signal]).toEqual([1, true, true]);
  const late = await callOf('/');
  late.abort();
  expect(late.signal.aborted).toBe(true);
});

it('makes nothing to be ended by for a request that nobody wants to end', async () => {
  const call = await callOf('/');
  const { AbortController } = globalThis;
  let made = 0;
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super();
      made += 1;
    }
  };
  try {
    call.abort();
    expect(made).toBe(0);
    expect(call.signal.aborted).toBe(true);
    expect(made).toBe(1);
  } finally {
    globalThis.AbortController = AbortController;
  }
});

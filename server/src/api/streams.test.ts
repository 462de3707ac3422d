// Streams of events on a real socket: what stands on the wire, what a fault is before and after the first byte, and what ends
// a stream: the client, its rights, its session, the server; and how many there may be.

import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PublicCtx } from '../areas/access/principal.ts';
import { operation } from '../kernel/contract.ts';
import { Fault } from '../kernel/errors.ts';
import { streamRoute } from '../kernel/route.ts';
import { id, integer, object, text } from '../kernel/schema.ts';
import { sql } from '../kernel/sql.ts';
import type { Events } from '../kernel/sse.ts';
import { makeUser } from '../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../testing/api.ts';

const Tick = object({ n: integer(), said: text() });
const streamTicks = operation({
  id: 'streamTicks',
  method: 'GET',
  path: '/api/v1/connections/{id}/ticks',
  tag: 'utilities',
  summary: 'Ticks',
  access: { connection: 'id', need: 'read' },
  params: object({ id: id() }),
  success: { status: 200, schema: Tick, stream: { keepalive_seconds: 1 }, example: { n: 1, said: 'x' } },
});

type Made = (ctx: PublicCtx) => Events<{ n: number; said: string }>;
let make: Made;
let ended: string[] = [];
let test: TestApi;
let port: number;
beforeAll(async () => {
  const routes = [streamRoute(streamTicks, async (ctx: PublicCtx) => make(ctx))];
  test = await startTestApi({ rooms: [() => routes], config: { streamsPerUser: 3, streams: 4 } });
  ({ port } = await test.api.listen());
});
afterAll(() => test.close());
beforeEach(() => {
  ended = [];
});

/** Waits until told, or until nobody listens any more. */
const never = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('gone')), { once: true });
  });

const one = (n: number, said = '') => ({ id: String(n), event: 'tick', data: { n, said } });

interface Open {
  status: number;
  headers: http.IncomingHttpHeaders;
  response: http.IncomingMessage;
  /** What came, until it holds the text. */
  until(wanted: string | RegExp): Promise<string>;
  /** All of it, at its end. */
  all(): Promise<string>;
  leave(): void;
}

async function open(token: string, options: { method?: string; connection?: number } = {}): Promise<Open> {
  const request = http.request({
    port,
    method: options.method ?? 'GET',
    path: `/api/v1/connections/${options.connection ?? test.actors.own_connection}/ticks`,
    headers: { authorization: `Bearer ${token}` },
  });
  request.on('error', () => {});
  request.end();
  const [response]: http.IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('there is no response');
  let got = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    got += chunk;
  });
  response.on('error', () => {});
  const closed = new Promise((resolve) => response.once('close', resolve));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    response,
    async until(wanted) {
      await expect.poll(() => got, { interval: 10 }).toMatch(wanted);
      return got;
    },
    async all() {
      await closed;
      return got;
    },
    leave: () => request.destroy(),
  };
}

const owner = () => test.actors.owner.session;

describe('on the wire', () => {
  it('is one event after another, with the headers of a stream, cut to its schema', async () => {
    make = async function* () {
      yield one(1, 'a line\nand another\r\n\u2028');
      yield { ...one(2), data: { n: 2, said: 'x', hidden: 'never' } };
    };
    const stream = await open(owner());
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    expect(stream.headers['x-request-id']).toBeDefined();
    expect(await stream.all()).toBe(
      'id: 1\nevent: tick\ndata: {"n":1,"said":"a line\\nand another\\r\\n\u2028"}\n\nid: 2\nevent: tick\ndata: {"n":2,"said":"x"}\n\n',
    );
  });

  it('says that it lives while nothing happens, also before the first event', async () => {
    make = async function* (ctx) {
      yield await never(ctx.signal);
    };
    const stream = await open(owner());
    await stream.until(/^:keepalive\n\n:keepalive\n\n/);
    stream.leave();
  });

  it('has no body for HEAD, and ends the work', async () => {
    make = async function* (ctx) {
      try {
        yield one(1);
        await never(ctx.signal);
      } finally {
        ended.push('head');
      }
    };
    const stream = await open(owner(), { method: 'HEAD' });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(await stream.all()).toBe('');
    await expect.poll(() => ended).toEqual(['head']);
  });
});

describe('a fault', () => {
  it('before the first byte is JSON with its status', async () => {
    // biome-ignore lint/correctness/useYield: it fails before
    make = async function* () {
      throw new Fault('bad_gateway', 'The other side refused.');
    };
    const stream = await open(owner());
    expect([stream.status, stream.headers['content-type']]).toEqual([502, 'application/json; charset=utf-8']);
    expect(stream.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
    expect(await stream.all()).toBe('{"error":"The other side refused."}');
  });

  it('after it is an event, and tells nothing of ours', async () => {
    make = async function* () {
      yield one(1);
      throw new Error('select secret from somewhere');
    };
    const stream = await open(owner());
    expect(await stream.all()).toMatch(/\n\nevent: error\ndata: \{"error":"internal error"\}\n\n$/);
  });

  it('of access is what it is anywhere', async () => {
    make = async function* () {
      yield one(1);
    };
    expect((await open(test.actors.other.session)).status).toBe(403);
    expect((await open('nobody')).status).toBe(401);
    expect((await open(owner(), { connection: 2_000_000 })).status).toBe(404);
  });
});

describe('it ends', () => {
  const endless: Made = async function* (ctx) {
    try {
      yield one(1);
      await never(ctx.signal);
    } finally {
      ended.push('over');
    }
  };

  it('within 100 ms of work after the client left', async () => {
    make = endless;
    const stream = await open(owner());
    await stream.until('tick');
    stream.leave();
    await expect.poll(() => ended, { interval: 5 }).toEqual(['over']);
  });

  it('when the session ends, and tells whoever works who the caller is now', async () => {
    const names: (string | undefined)[] = [];
    make = async function* (ctx) {
      yield one(1);
      await expect.poll(() => ctx.principal?.username).toBe('renamed-meanwhile');
      names.push(ctx.principal?.username);
      yield one(2);
      await never(ctx.signal);
    };
    const user = await makeUser(test.db, { is_superuser: true });
    const stream = await open(user.session);
    await stream.until('id: 1');
    await test.db.run(sql`/* test.rename */
      update matriarch.users set username = 'renamed-meanwhile' where id = ${user.user_id}`);
    await stream.until('id: 2');
    expect(names).toEqual(['renamed-meanwhile']);
    await test.db.run(
      sql`/* test.sign_out */ delete from matriarch.sessions where user_id = ${user.user_id}`,
    );
    expect(await stream.all()).not.toContain('error');
  }, 60_000);

  it('when access to the connection ends', async () => {
    make = endless;
    const stream = await open(test.actors.other.session, { connection: test.actors.shared_connection });
    await stream.until('tick');
    await test.db.run(sql`/* test.unshare */
      update matriarch.connections set is_shared = false where id = ${test.actors.shared_connection}`);
    await stream.all();
    await expect.poll(() => ended).toEqual(['over']);
  }, 60_000);
});

describe('S16 there are', () => {
  it('so many of one user, and so many in all; who leaves makes room', async () => {
    make = async function* (ctx) {
      yield one(1);
      await never(ctx.signal);
    };
    const boss = test.actors.superuser.session;
    const streams = await Promise.all([open(owner()), open(owner()), open(owner())]);
    for (const stream of streams) await stream.until('tick');
    const fourth = await open(owner());
    expect([fourth.status, fourth.headers['retry-after']]).toEqual([429, '10']);
    const other = await open(boss);
    expect(other.status).toBe(200);
    const fifth = await open(boss);
    expect([fifth.status, await fifth.all()]).toEqual([
      429,
      '{"error":"The server has as many streams open as it may. Try again later."}',
    ]);
    for (const stream of [...streams, other]) stream.leave();
    const retried = async () => {
      const again = await open(owner());
      again.leave();
      return again.status;
    };
    await expect.poll(retried).toBe(200);
  });

  it('no more events made than a slow client takes', async () => {
    let made = 0;
    make = async function* () {
      const said = 'x'.repeat(64 * 1024);
      for (;;) {
        made += 1;
        yield one(made, said);
      }
    };
    const stream = await open(owner());
    stream.response.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = made === before;
          before = made;
          return isStill;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(made).toBeLessThan(1000);
    stream.leave();
  });
});

it('the stop of the server ends what is open at once', async () => {
  make = async function* (ctx) {
    yield one(1);
    await never(ctx.signal);
  };
  const stream = await open(owner());
  await stream.until('tick');
  const stopping = test.api.stop();
  expect(await stream.all()).not.toContain('error');
  await stopping;
});

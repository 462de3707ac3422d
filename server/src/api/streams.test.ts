// Streams of events on a real socket: what stands on the wire, what a fault is before and after the first byte, and what ends
// a stream: the client, the server; and how many there may be. What takes seconds is in streams.proof.test.ts.
import { describe, expect, it } from 'vitest';
import { Fault } from '../kernel/errors.ts';
import { endless, never, one, streamTests } from '../testing/streams.ts';

const { test, ended, make, open } = streamTests();
const owner = () => test().actors.owner.session;

describe('on the wire', () => {
  it('is one event after another, with the headers of a stream, cut to its schema', async () => {
    make(async function* () {
      yield one(1, 'a line\nand another\r\n\u2028');
      yield { ...one(2), data: { n: 2, said: 'x', hidden: 'never' } };
    });
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
      'id: 1\nevent: tick\ndata: {"n":1,"said":"a line\\nand another\\r\\n\\u2028"}\n\nid: 2\nevent: tick\ndata: {"n":2,"said":"x"}\n\n',
    );
  });

  it('has no body for HEAD, and ends the work', async () => {
    make(async function* (ctx) {
      try {
        yield one(1);
        await never(ctx.signal);
      } finally {
        ended.push('head');
      }
    });
    const stream = await open(owner(), { method: 'HEAD' });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
    expect(await stream.all()).toBe('');
    await expect.poll(() => ended).toEqual(['head']);
  });
});

describe('a fault', () => {
  it('before the first byte is JSON with its status', async () => {
    // biome-ignore lint/correctness/useYield: it fails before
    make(async function* () {
      throw new Fault('bad_gateway', 'The other side refused.');
    });
    const stream = await open(owner());
    expect([stream.status, stream.headers['content-type']]).toEqual([502, 'application/json; charset=utf-8']);
    expect(stream.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
    expect(await stream.all()).toBe('{"error":"The other side refused."}');
  });

  it('after it is an event, and tells nothing of ours', async () => {
    make(async function* () {
      yield one(1);
      throw new Error('select secret from somewhere');
    });
    const stream = await open(owner());
    expect(await stream.all()).toMatch(/\n\nevent: error\ndata: \{"error":"internal error"\}\n\n$/);
  });

  it('of access is what it is anywhere', async () => {
    make(async function* () {
      yield one(1);
    });
    expect((await open(test().actors.other.session)).status).toBe(403);
    expect((await open('nobody')).status).toBe(401);
    expect((await open(owner(), { connection: 2_000_000 })).status).toBe(404);
  });
});

describe('it ends', () => {
  it('within 100 ms of work after the client left', async () => {
    make(endless(ended));
    const stream = await open(owner());
    await stream.until('tick');
    stream.leave();
    await expect.poll(() => ended, { interval: 5 }).toEqual(['over']);
  });
});

describe('S16 there are', () => {
  it('so many of one user, and so many in all; who leaves makes room', async () => {
    make(async function* (ctx) {
      yield one(1);
      await never(ctx.signal);
    });
    const boss = test().actors.superuser.session;
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
    make(async function* () {
      const said = 'x'.repeat(64 * 1024);
      for (;;) {
        made += 1;
        yield one(made, said);
      }
    });
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
  make(async function* (ctx) {
    yield one(1);
    await never(ctx.signal);
  });
  const stream = await open(owner());
  await stream.until('tick');
  const stopping = test().api.stop();
  expect(await stream.all()).not.toContain('error');
  await stopping;
});

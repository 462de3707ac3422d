// The proxy's own faults, seen from both ends of a plain connection.
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { type Fault, startFaultProxy } from './fault-proxy.ts';

/** A server that sends everything back, a proxy before it, and what became of its connections. */
async function ground() {
  const seen: { bytes: number; errors: string[] } = { bytes: 0, errors: [] };
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (piece: Buffer) => {
      seen.bytes += piece.length;
      socket.write(piece);
    });
    socket.on('end', () => socket.end());
    socket.on('error', (error) => seen.errors.push(error.message));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const proxy = await startFaultProxy(typeof address === 'object' && address ? address.port : 0);
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
  });
  const connect = async () => {
    const socket = net.connect({ host: proxy.host, port: proxy.port, allowHalfOpen: true });
    const got: { text: string; error: string | undefined } = { text: '', error: undefined };
    socket.on('data', (piece: Buffer) => {
      got.text += piece.toString('latin1');
    });
    socket.on('error', (error) => {
      got.error = error.message;
    });
    onTestFinished(() => {
      socket.destroy();
    });
    await once(socket, 'connect');
    return { socket, got };
  };
  return { proxy, connect, seen };
}

/** Long enough that something which arrives would have. */
const A_WHILE = 150;

describe('the fault proxy', () => {
  it('passes everything in both directions, and the end of a stream', async () => {
    const { proxy } = await ground();
    const socket = net.connect(proxy.port, proxy.host);
    const sent = 'x'.repeat(3_000_000);
    socket.end(sent);
    expect((await text(socket)).length).toBe(sent.length);
    await expect.poll(() => proxy.stats).toEqual({ connections: 0, accepted: 1, bytes: 6_000_000 });
  });

  it('delays', async () => {
    const { proxy, connect } = await ground();
    const { socket, got } = await connect();
    await proxy.set({ kind: 'delay', ms: 120, way: 'up' });
    const began = systemClock.monotonic();
    socket.write('ab');
    socket.write('cd');
    await expect.poll(() => got.text, { interval: 5 }).toBe('abcd');
    expect(systemClock.monotonic() - began).toBeGreaterThanOrEqual(115);
  });

  it('throttles, and lets the rest go when it is told to pass', async () => {
    const { proxy, connect, seen } = await ground();
    const { socket, got } = await connect();
    await proxy.set({ kind: 'throttle', bytesPerSecond: 100, way: 'up' });
    socket.write('x'.repeat(10_000));
    await sleep(A_WHILE);
    expect(seen.bytes).toBeLessThan(500);
    await proxy.set({ kind: 'pass' });
    await expect.poll(() => got.text.length).toBe(10_000);
  });

  it.each<[string, Fault, string]>([
    ['swallows everything', { kind: 'drop' }, ''],
    ['swallows what follows after so many bytes', { kind: 'half-open', afterBytes: 3, way: 'up' }, 'abc'],
  ])('%s, and keeps the connection open', async (_name, fault, arrives) => {
    const { proxy, connect } = await ground();
    const { socket, got } = await connect();
    await proxy.set(fault);
    socket.write('abcdef');
    await sleep(A_WHILE);
    expect(got).toEqual({ text: arrives, error: undefined });
    expect(proxy.stats.connections).toBe(1);
    await proxy.set({ kind: 'pass' });
    socket.write('XYZ');
    await expect.poll(() => got.text).toBe(`${arrives}XYZ`);
  });

  it('accepts new connections into the black hole', async () => {
    const { proxy, connect } = await ground();
    await proxy.set({ kind: 'drop' });
    const { socket, got } = await connect();
    socket.write('abc');
    await sleep(A_WHILE);
    expect(got).toEqual({ text: '', error: undefined });
  });

  it('resets at once, and after so many bytes', async () => {
    const { proxy, connect, seen } = await ground();
    const first = await connect();
    first.socket.write('a');
    await expect.poll(() => first.got.text).toBe('a');
    await proxy.set({ kind: 'reset' });
    await expect.poll(() => first.got.error).toMatch(/ECONNRESET/);
    await expect.poll(() => seen.errors).toHaveLength(1);
    await proxy.set({ kind: 'reset', afterBytes: 4, way: 'down' });
    const second = await connect();
    second.socket.write('abcd');
    await expect.poll(() => second.got.text).toBe('abcd');
    second.socket.write('e');
    await expect.poll(() => second.got.error).toMatch(/ECONNRESET/);
    expect(second.got.text).toBe('abcd');
  });

  it('corrupts one byte', async () => {
    const { proxy, connect } = await ground();
    const { socket, got } = await connect();
    await proxy.set({ kind: 'corrupt', afterBytes: 4, way: 'up' });
    socket.write('abc');
    await expect.poll(() => got.text).toBe('abc');
    socket.write('def');
    await expect.poll(() => got.text).toBe(`abcd${String.fromCharCode('e'.charCodeAt(0) ^ 0xff)}f`);
  });

  it('refuses, and is there again on the same port', async () => {
    const { proxy, connect } = await ground();
    const before = await connect();
    await proxy.set({ kind: 'refuse' });
    await expect.poll(() => before.got.error).toMatch(/ECONNRESET/);
    await expect(connect()).rejects.toThrow(/ECONNREFUSED/);
    await proxy.set({ kind: 'pass' });
    const after = await connect();
    after.socket.write('back');
    await expect.poll(() => after.got.text).toBe('back');
  });
});

// S3 for providers: what the one way out refuses, whatever address the settings or a resolver name.
import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { FORBIDDEN_ADDRESS, guardLookup } from './guarded-lookup.ts';
import { createAgent, createTransport, type Transport } from './transport.ts';

let mock: LlmMock;
let agent: Awaited<ReturnType<typeof createAgent>>;

beforeAll(async () => {
  [mock, agent] = await Promise.all([startLlmMock(), createAgent({ allow_private: true })]);
});
afterAll(async () => {
  await agent.destroy();
  await mock.stop();
});

const transport = (max_bytes = 1000): Transport =>
  createTransport({ agent, allow_private: true, signal: AbortSignal.timeout(10_000), max_bytes });

describe('createTransport', () => {
  it('calls a name that stands for loopback', async () => {
    const url = `${mock.baseUrl('ollama').replace('127.0.0.1', 'localhost')}/api/tags`;
    expect(await transport(10_000).json({ url })).toHaveProperty('models');
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://100.100.100.200/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ])('never calls %s', async (url) => {
    const refused = { kind: 'unreachable', details: { code: FORBIDDEN_ADDRESS } };
    await expect(transport().json({ url })).rejects.toMatchObject(refused);
    await expect(transport().fetch(url)).rejects.toMatchObject(refused);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:,x'])(
    'speaks no other protocol: %s',
    async (url) => {
      await expect(transport().json({ url })).rejects.toMatchObject({ kind: 'unreachable' });
    },
  );

  it('stops reading where the answer gets too long, also when it never ends', async () => {
    const endless = http.createServer((_request, response) => {
      const feed = setInterval(() => response.write('x'.repeat(500)), 1);
      response.on('close', () => clearInterval(feed));
    });
    endless.listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const address = endless.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const tooLong = { kind: 'failed', details: { code: 'ANSWER_TOO_LONG' } };
    await expect(transport().json({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject(tooLong);
    endless.closeAllConnections();
    endless.close();
  });
});

describe('guardLookup', () => {
  const families = (addresses: readonly string[]) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  function lookUp(answers: readonly (readonly string[])[], all: boolean, allowPrivate = true) {
    let asked = 0;
    const lookup = guardLookup(allowPrivate, (_hostname, _options, callback) => {
      callback(null, families(answers[asked] ?? []));
      asked += 1;
    });
    const { promise, resolve } = Promise.withResolvers<{ code: unknown; addresses: unknown }>();
    lookup('provider.example', { all }, (error, addresses) => resolve({ code: error?.code, addresses }));
    return promise.then((outcome) => ({ ...outcome, asked }));
  }

  it('hands on what it judged, asked once', async () => {
    const answers = [['192.0.2.7', '2001:db8::7'], ['169.254.169.254']];
    expect(await lookUp(answers, true)).toEqual({
      code: undefined,
      addresses: families(['192.0.2.7', '2001:db8::7']),
      asked: 1,
    });
    expect(await lookUp(answers, false)).toEqual({ code: undefined, addresses: '192.0.2.7', asked: 1 });
  });

  it.each([
    [['169.254.169.254']],
    [['192.0.2.7', 'fe80::1']],
    [['::ffff:169.254.169.254', '192.0.2.7']],
    [[]],
  ])('refuses a name that stands for %j', async (addresses) => {
    expect(await lookUp([addresses], true)).toMatchObject({ code: FORBIDDEN_ADDRESS });
    expect(await lookUp([addresses], false)).toMatchObject({ code: FORBIDDEN_ADDRESS });
  });

  it.each([[['127.0.0.1']], [['10.1.2.3', '192.0.2.7']], [['::1']], [['fd00::1']]])(
    'refuses %j unless private addresses are allowed',
    async (addresses) => {
      expect(await lookUp([addresses], true)).toMatchObject({ code: undefined });
      expect(await lookUp([addresses], true, false)).toMatchObject({ code: FORBIDDEN_ADDRESS });
    },
  );
});

it('calls no private address that was not allowed', async () => {
  const signal = AbortSignal.timeout(10_000);
  const strict = createTransport({ agent, allow_private: false, signal, max_bytes: 1000 });
  const before = mock.requests.length;
  await expect(strict.json({ url: 'http://127.0.0.1:9/' })).rejects.toMatchObject({
    details: { code: FORBIDDEN_ADDRESS },
  });
  expect(mock.requests.length).toBe(before);
});

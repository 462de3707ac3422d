// How much the proxy takes at most. What else it refuses is in llm-chat-refused.test.ts.
import { expect, it } from 'vitest';
import { CHAT, proxyTests } from '../../testing/llm/proxy-tests.ts';

const proxy = proxyTests();

it('more than 5 MiB is 413, a little less is sent', async () => {
  const big = (size: number) => ({ messages: [{ role: 'user', content: 'x'.repeat(size) }] });
  expect((await proxy.call(CHAT, big(5 * 1024 * 1024))).status).toBe(413);
  expect((await proxy.call(CHAT, big(5 * 1024 * 1024 - 1000))).status).toBe(200);
});

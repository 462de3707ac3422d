// Both generations of the official client against the real API. The conformance suites are in conformance.proof.test.ts.
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';

let test: TestApi;
let url = '';
beforeAll(async () => {
  test = await startWholeApi();
  ({ url } = await test.api.listen());
});
afterAll(() => test.close());

const headers = () => ({ authorization: `Bearer ${test.actors.superuser.session}` });
const address = () => new URL(`${url}/mcp/v1`);
const firstText = (content: unknown) => String(Object(Array.isArray(content) ? content[0] : {}).text);

it('the client of the handshake revisions lists, calls and reads', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(address(), { requestInit: { headers: headers() } }));
  expect(client.getServerVersion()?.name).toBe('Matriarch');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('query_metrics');
  const result = await client.callTool({ name: 'list_connections', arguments: {} });
  expect(firstText(result.content)).toContain('monitored servers that you can see');
  const { contents } = await client.readResource({ uri: 'pg://connection_info' });
  expect(Object(contents[0]).text).toBe('{"connected":false}');
  await expect(client.callTool({ name: 'no_such_tool' })).rejects.toThrow('no_such_tool');
  await client.close();
});

it.each(['legacy', 'auto', { pin: '2026-07-28' }] as const)(
  'the client of both eras does, too: %j',
  async (mode) => {
    const client = new NewClient({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new NewTransport(address(), { requestInit: { headers: headers() } }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('query_metrics');
    const result = await client.callTool({ name: 'list_connections', arguments: {} });
    expect(firstText(result.content)).toContain('monitored servers that you can see');
    const wrong = await client.callTool({ name: 'delete_memory', arguments: { id: 99 } });
    expect([wrong.isError, firstText(wrong.content)]).toEqual([true, 'There is no such memory.']);
    await client.close();
  },
);

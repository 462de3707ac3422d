// The knowledge base and embeddings as an assistant asks for them, with and without a provider that makes vectors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import type { TestApi } from '../../testing/api.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';

let bare: TestApi;
let test: TestApi;
let mock: LlmMock;
beforeAll(async () => {
  mock = await startLlmMock({ key: 'sk-tools' });
  bare = await startWholeApi();
  test = await startWholeApi({
    llm: { providers: { openai: { api_key: new Secret('sk-tools'), base_url: mock.baseUrl('compatible') } } },
  });
});
afterAll(async () => {
  await bare.close();
  await test.close();
  await mock.stop();
});

async function call(on: TestApi, name: string, input: object) {
  const token = on.actors.superuser.session;
  const { body } = await on.call('POST /api/v1/mcp/tools/call', { token, body: { name, arguments: input } });
  const { content, isError = false } = Object(body);
  return { text: String(content[0].text), isError: Boolean(isError) };
}
const names = async (on: TestApi): Promise<string[]> => {
  const { body } = await on.call('GET /api/v1/mcp/tools', { token: on.actors.superuser.session });
  return Object(body).tools.map(({ name }: { name: string }) => name);
};
const search = async (on: TestApi, input: object) => {
  const { text, isError } = await call(on, 'search_knowledgebase', input);
  expect([isError, text]).toEqual([false, text]);
  return text;
};

describe('search_knowledgebase', () => {
  it('finds by words without any provider', async () => {
    const text = await search(bare, { query: 'max_wal_size', top_n: 1 });
    expect(text).toMatch(
      /^1 entry for "max_wal_size"\nSource: our own notes on PostgreSQL 14 to 19.*found by words\n/,
    );
    expect(text).toMatch(
      /parameter\tmax_wal_size\tHow much WAL .* Default: 1GB\. .* A change needs a reload\./,
    );
    expect(await search(bare, { query: 'effective_io_concurrency', top_n: 1 })).toContain(
      '1 in 14-17, 16 in 18',
    );
    expect(await search(bare, { query: '53300', top_n: 1 })).toContain('too_many_connections');
    expect(await search(bare, { query: 'xyzzy' })).toContain('Nothing fits');
  });

  it('keeps to versions and products, as lists and as texts', async () => {
    for (const project_versions of [['14'], '14', '14.9'])
      expect(await search(bare, { query: 'transaction_timeout', project_versions })).not.toContain(
        '\ttransaction_timeout\t',
      );
    expect(await search(bare, { query: 'transaction_timeout', project_versions: '14, 18' })).toContain(
      '\ttransaction_timeout\t',
    );
    expect(await search(bare, { query: 'port', project_names: ['postgresql'] })).toContain('TCP port');
    for (const input of [{ project_names: 'mysql' }, { project_versions: ['9.6'] }, { query: ' ' }])
      expect((await call(bare, 'search_knowledgebase', { query: 'port', ...input })).isError).toBe(true);
    expect((await call(bare, 'search_knowledgebase', {})).text).toContain('list_products: true');
    expect((await call(bare, 'search_knowledgebase', { query: 'a', top_n: 21 })).isError).toBe(true);
  });

  it('lists what there is', async () => {
    expect(await search(bare, { list_products: true })).toMatch(/PostgreSQL\t14, 15, 16, 17, 18, 19\t1\d{3}/);
  });

  it('looks at meaning where there are vectors, sends our own texts once, and goes on without when that fails', async () => {
    mock.reset();
    let first = '';
    // A busy machine may take longer for all vectors than a search waits for them.
    await expect
      .poll(async () => {
        first = await search(test, { query: 'work_mem' });
        return first;
      })
      .toContain('found by words and meaning');
    expect(first.split('\n').find((line) => line.startsWith('parameter'))).toContain('\twork_mem\t');
    const sent = mock.requests.filter(({ asked_for }) => asked_for === 'embed').length;
    expect(sent).toBeGreaterThan(1);
    await search(test, { query: 'checkpoint' });
    expect(mock.requests.filter(({ asked_for }) => asked_for === 'embed')).toHaveLength(sent + 1);
    mock.failAlways('embed', { kind: 'status', status: 500 });
    expect(await search(test, { query: 'work_mem' })).toMatch(/found by words\n/);
    mock.failAlways('embed', undefined);
  });
});

describe('generate_embedding', () => {
  it('answers a vector that pgvector takes', async () => {
    const { text, isError } = await call(test, 'generate_embedding', { text: 'The queue is full' });
    expect([isError, text]).toEqual([
      false,
      expect.stringMatching(/^A vector of \d+ numbers\nSource: .+\n\[[-\d.,e]+\]$/),
    ]);
  });

  it('is not there without a provider, and says what to do', async () => {
    expect(await names(test)).toContain('generate_embedding');
    expect(await names(bare)).not.toContain('generate_embedding');
    const { text, isError } = await call(bare, 'generate_embedding', { text: 'x' });
    expect([isError, text]).toEqual([true, expect.stringContaining('No provider that makes embeddings')]);
  });
});

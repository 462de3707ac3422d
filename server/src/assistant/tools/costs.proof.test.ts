// How many statements on our datastore a call of each tool takes, the look at who asks among them: bounded for each by name, so that a tool
// that begins to take more for each row, server or probe is seen. A new tool has to be added.
import { expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { datastoreServer } from '../../testing/servers/postgres.ts';
import { tools } from './catalog.gen.ts';
import type { Tool } from './types.ts';

/** On a server that nothing was collected of yet; what more there is with samples is in own-tools.test.ts. */
const MOST: Readonly<Record<string, number>> = {
  backtest_rule: 5,
  count_rows: 9,
  delete_memory: 2,
  describe_probe: 1,
  execute_explain: 9,
  generate_embedding: 1,
  get_alert_history: 2,
  get_alert_rules: 2,
  get_blackouts: 3,
  get_changes: 17,
  get_coverage: 4,
  get_findings: 5,
  get_load: 3,
  get_locks: 12,
  get_metric_baselines: 3,
  get_moment: 12,
  get_query: 4,
  get_schema_info: 9,
  get_timeline_events: 3,
  get_topology: 8,
  list_connections: 4,
  list_probes: 2,
  query_database: 9,
  query_datastore: 4,
  query_metrics: 3,
  read_resource: 3,
  recall_memories: 2,
  search_knowledgebase: 1,
  similarity_search: 16,
  store_memory: 3,
  test_query: 9,
};

it('is bounded for each, and does not grow with the number of servers', { timeout: 120_000 }, async () => {
  const mock = await startLlmMock({ key: 'sk-costs' });
  const openai = { api_key: new Secret('sk-costs'), base_url: mock.baseUrl('compatible') };
  const test = await startWholeApi({ llm: { providers: { openai } } });
  try {
    const { host, port, superuser: username, password } = datastoreServer();
    const token = test.actors.superuser.session;
    await makeGroup(test.db, { users: [test.actors.superuser.user_id], mcp: ['*'] });
    const connect = async (name: string) => {
      const body = { name, host, port, username, password, database_name: 'postgres', ssl_mode: 'disable' };
      return JSON.parse((await test.call('POST /api/v1/connections', { token, body })).text).id;
    };
    const connection_id: number = await connect('real');
    const all: readonly Tool[] = tools;
    const costOf = async (tool: Tool) => {
      const { input } = tool.examples[0];
      const named = 'connection_id' in input ? { ...input, connection_id } : input;
      test.statements.reset();
      await test.call('POST /api/v1/mcp/tools/call', { token, body: { name: tool.name, arguments: named } });
      return test.statements.sent.length;
    };
    // What is kept after the first call is there.
    for (const tool of all) await costOf(tool);
    const measured: Record<string, number> = {};
    for (const tool of all) measured[tool.name] = await costOf(tool);
    for (let more = 0; more < 10; more += 1) await connect(`more ${more}`);
    const then: Record<string, number> = {};
    for (const tool of all) then[tool.name] = await costOf(tool);
    expect(then).toEqual(measured);
    expect(Object.keys(measured).sort()).toEqual(Object.keys(MOST).sort());
    const dearer = Object.entries(measured).filter(([name, count]) => count > (MOST[name] ?? 0));
    expect(dearer).toEqual([]);
  } finally {
    await test.close();
    await mock.stop();
  }
});

// How many statements on our datastore a call of each tool takes, the look at who asks among them: bounded for each by name, so that a tool
// that begins to take more for each row, server or probe is seen. On a server without samples; with samples: own-tools.test.ts.
import { expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { startLlmMock } from '../../testing/llm/llm-mock.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { datastoreServer } from '../../testing/servers/postgres.ts';
import { tools } from './catalog.gen.ts';
import type { Tool } from './types.ts';

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
    const dearer = all.filter(
      ({ name, most_statements }) => (measured[name] ?? Number.NaN) > most_statements,
    );
    expect(dearer.map(({ name }) => [name, measured[name]])).toEqual([]);
    expect(Object.keys(measured)).toHaveLength(all.length);
  } finally {
    await test.close();
    await mock.stop();
  }
});

// S12: every tool × every kind of caller, against the model that shares no code with the gate. It grows by itself with the
// folder of tools. What is refused says so, and no answer names what its caller cannot see. All tools are called through one
// gate, so everyday a few callers try each tool, and all of them one tool that names a connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_PRIVILEGES } from '../../identity/access/mcp-privileges.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { actsAsSuperuser, levelOn } from '../../testing/access/access-model.ts';
import { emptyScene, type Scene, secretsIn } from '../../testing/access/access-scene.ts';
import type { CallerKind, Prepared } from '../../testing/access/callers.ts';
import { tokensOf, trusting } from '../../testing/access/matrix.ts';
import { FEW } from '../../testing/access/matrix-share.ts';
import { everyCaller } from '../../testing/access/provider-callers.ts';
import { type CallOptions, callApi, type TestApi } from '../../testing/api.ts';
import { type LlmMock, startLlmMock } from '../../testing/llm/llm-mock.ts';
import { type HostileProvider, startHostileProvider } from '../../testing/oidc/hostile-provider.ts';
import { startMcpApi } from '../../testing/oidc/mcp-api.ts';
import { isProof } from '../../testing/tier.ts';
import { tools } from './catalog.gen.ts';
import type { Tool } from './types.ts';

const ALL: readonly Tool[] = tools;
/** They ask the monitored server, which is none here: what is refused before that is what counts. */
const REFUSED = /^(You have no access to this connection\.|There is no such connection\.)/;
const DENIED = /^You may not use /;

let test: TestApi;
let scene: Scene;
/** Each kind once without any MCP privilege, and once with all of them. */
const callers: { kind: CallerKind; prepared: Prepared; holds: boolean }[] = [];
let mock: LlmMock;
let provider: HostileProvider;
beforeAll(async () => {
  // What takes a provider of embeddings is there too.
  mock = await startLlmMock({ key: 'sk-matrix' });
  const openai = { api_key: new Secret('sk-matrix'), base_url: mock.baseUrl('compatible') };
  provider = await startHostileProvider();
  test = await startMcpApi({ ...trusting(provider), llm: { providers: { openai } } });
  scene = emptyScene(test.db);
  scene.providerToken = tokensOf(test, provider);
  for (const kind of everyCaller)
    for (const holds of [false, true]) {
      const prepared = await kind.prepare(scene);
      const { user_id } = prepared.caller ?? {};
      if (holds && user_id !== undefined) await scene.group({ users: [user_id], mcp: ['*'] });
      callers.push({ kind, prepared, holds });
    }
}, 120_000);
afterAll(async () => {
  await test.close();
  await provider.stop();
  await mock.stop();
});

/** A provider's token opens MCP alone, and is answered there as JSON-RPC. */
const byProvider = ({ prepared: { caller } }: (typeof callers)[number]) => caller?.via === 'provider_token';

const rpc = async (call: CallOptions, method: string, params: object = {}) => {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const answer = await callApi(test.api, 'POST /mcp/v1', { ...call, body });
  return { ...answer, body: Object(answer.body).result ?? answer.body };
};

const callTool = (one: (typeof callers)[number], name: string, args: object) => {
  const { call } = one.prepared;
  return byProvider(one)
    ? rpc(call, 'tools/call', { name, arguments: args })
    : callApi(test.api, 'POST /api/v1/mcp/tools/call', { ...call, body: { name, arguments: args } });
};

/** The tool that all callers try everyday. */
const TRIED_BY_ALL = 'count_rows';
/** For tools that are open to everybody who is signed in, whoever may use none. */
const TRIES_ALL = [...FEW, 'a token of the owner scoped to no tool', "a provider's token of the owner"];

const callersOf = (name: string) =>
  isProof() || name === TRIED_BY_ALL ? callers : callers.filter(({ kind }) => TRIES_ALL.includes(kind.name));

const isPublic = (name: string) => MCP_PRIVILEGES.find(({ identifier }) => identifier === name)?.is_public;

function maySee({ prepared: { caller }, holds }: (typeof callers)[number], name: string): boolean {
  if (!caller) return false;
  const scoped = caller.scope?.mcp;
  if (scoped && !scoped.includes(name) && !scoped.includes('*')) return false;
  const isSuperuser = scene.world.users.get(caller.user_id)?.is_superuser === true;
  return holds || isSuperuser || isPublic(name) === true;
}

/** The first example, about the connection of the caller's place where it names one. */
function inputFor(tool: Tool, target: number): object {
  const { input } = tool.examples[0];
  return 'connection_id' in input || 'connection_id' in Object(tool.input).properties
    ? { ...input, connection_id: target }
    : input;
}

it.each(ALL.map((tool) => [tool.name, tool] as const))(
  '%s has a privilege, a kind input and examples that fit it',
  (name, tool) => {
    expect(MCP_PRIVILEGES.map(({ identifier }) => identifier)).toContain(name);
    expect(tool.summary.length).toBeLessThanOrEqual(100);
    expect(tool.description.length).toBeGreaterThan(tool.summary.length);
    const known = Object.keys(Object(tool.input).properties);
    for (const { input } of tool.examples) expect(known).toEqual(expect.arrayContaining(Object.keys(input)));
  },
);

describe.each(ALL.map((tool) => [tool.name, tool] as const))('S12 %s', (name, tool) => {
  it('does for each caller what the model says', async () => {
    let refused = 0;
    for (const one of callersOf(name)) {
      const { prepared, kind } = one;
      const { caller, target } = prepared;
      const input = inputFor(tool, target);
      const answer = await callTool(one, name, input);
      const what = `${kind.name}, ${one.holds ? 'with' : 'without'} privileges: ${answer.text.slice(0, 300)}`;
      expect(answer.status, what).toBe(prepared.cross_site ? 403 : caller ? 200 : 401);
      if (answer.status !== 200) continue;
      const { content, isError } = Object(answer.body);
      const said = String(content[0].text);
      const isDenied = !maySee(one, name);
      expect([DENIED.test(said), what]).toEqual([isDenied, what]);
      if (isDenied) expect(isError, what).toBe(true);
      const isOut =
        caller !== undefined && 'connection_id' in input && levelOn(scene.world, caller, target) === 0;
      if (!isDenied) expect([REFUSED.test(said), what]).toEqual([isOut, what]);
      refused += Number(isDenied || isOut);
      const hidden = secretsIn(scene, said).filter(({ seenBy }) => !caller || !seenBy(caller));
      expect(
        hidden.map((secret) => secret.name),
        what,
      ).toEqual([]);
    }
    expect(refused).toBeGreaterThan(0);
  }, 120_000);
});

it('the callers and the tool that are named for the everyday run are there', () => {
  const kinds = everyCaller.map(({ name }) => name);
  expect(kinds).toEqual(expect.arrayContaining(TRIES_ALL));
  expect(ALL.map(({ name }) => name)).toContain(TRIED_BY_ALL);
});

it('lists for each caller what they may use, and nothing else', async () => {
  for (const one of callers) {
    const { prepared } = one;
    if (!prepared.caller || prepared.cross_site) continue;
    const { body } = byProvider(one)
      ? await rpc(prepared.call, 'tools/list')
      : await callApi(test.api, 'GET /api/v1/mcp/tools', prepared.call);
    const names = Object(body).tools.map(({ name }: { name: string }) => name);
    const expected = ALL.filter(({ name }) => maySee(one, name)).map(({ name }) => name);
    expect(names, one.kind.name).toEqual(expected.sort());
  }
  const superusers = callers.filter(
    ({ prepared: { caller } }) => caller && actsAsSuperuser(scene.world, caller),
  );
  expect(superusers.length).toBeGreaterThan(0);
});

it('remembers every denial', async () => {
  const { count } = await test.db.one<{ count: number }>(sql`/* test.denials */
    select count(*)::int as count from matriarch.audit_events
    where outcome = 'refused' and target_kind = 'tool'`);
  expect(count).toBeGreaterThan(ALL.length);
});

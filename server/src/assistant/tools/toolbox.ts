// All tools, put together for the protocol and its mirror. Guards: a caller is told of nothing that they may not use, a denied
// call does nothing and is remembered in the audit log, and a fault of ours is told without its words.
import { type Ctx, hasMcpPrivilege, recordAudit, withReadBudget } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import { isUnreachable } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { until } from '../../kernel/leaving.ts';
import { createRateLimit, type RateLimit } from '../../kernel/rate-limit.ts';
import { compileBody } from '../../kernel/validate.ts';
import { createKnowledge } from '../knowledge/knowledge.ts';
import { plainAnswer, type Toolbox, type ToolInfo, type ToolResult } from '../mcp/toolbox.service.ts';
import type { LlmConfig } from '../providers/types.ts';
import { tools as catalog } from './catalog.gen.ts';
import { resources as known } from './resources.ts';
import { embeddingsOf, NO_EMBEDDINGS } from './support/embeddings.ts';
import type { Resource, Tool, ToolCtx, ToolDeps } from './types.ts';

export interface ToolboxOptions {
  base_url: string | undefined;
  sql: ToolDeps['sql'];
  /** As configured, and the way to providers that everybody takes; what needs vectors is not there when absent. */
  llm?: LlmConfig;
  proxy?: Parameters<typeof embeddingsOf>[1];
  clock: Clock;
  /** Of each user; 300 when absent. */
  calls_per_minute?: number;
  /** In place of the product's. */
  tools?: readonly Tool[];
  resources?: readonly Resource[];
}

const CALLS_A_MINUTE = 300;
const AWAY =
  'The datastore cannot be reached, so the stored information cannot be read. Try again in a moment.';
const OURS =
  'That failed with an internal error; the log of the server has the details. Nothing was changed.';

const described = ({ description, cost, examples }: Tool) =>
  [
    description,
    `Cost: ${cost}`,
    ...examples.map(({ ask, input }) => `Example: "${ask}" ${JSON.stringify(input)}`),
  ].join('\n');

const plain = (schema: unknown): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(schema));

/** As the declaration says: what changes something or goes to a provider is more than reading. */
function reachOf({ writes, reaches }: Tool): ToolInfo['reach'] {
  if (writes === true || reaches === 'provider') return 'beyond';
  return reaches ?? 'stored';
}

const infoOf = (tool: Tool): ToolInfo => ({
  name: tool.name,
  title: tool.title,
  description: described(tool),
  summary: tool.summary,
  input: plain(tool.input),
  is_read_only: tool.writes !== true,
  reach: reachOf(tool),
});

const denied = (text: string): ToolResult => ({ ...plainAnswer(text), is_error: true });

/** Denials are told to the audit log, as everywhere; the log of the server tells the rest. */
async function refuse(ctx: Ctx, name: string, reason: string): Promise<ToolResult> {
  await recordAudit(ctx, {
    action: 'access.check',
    outcome: 'refused',
    target: { kind: 'tool', name },
    details: { reason },
  });
  return denied(reason);
}

async function failure(ctx: Ctx, name: string, error: unknown): Promise<ToolResult> {
  if (error instanceof Fault && error.code === 'forbidden') return refuse(ctx, name, error.message);
  if (error instanceof Fault && error.code !== 'internal') return denied(error.message);
  if (isUnreachable(error)) return denied(AWAY);
  ctx.log.error({ event: 'tool.failed', tool: name, err: error });
  return denied(OURS);
}

/** The refusal of calls that come too often. */
function tooMany(calls: RateLimit, { principal }: Ctx): string | undefined {
  const taken = calls.take(String(principal.user_id));
  if (taken.allowed) return undefined;
  const seconds = taken.retry_after_seconds;
  return `Too many calls of tools within a minute. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}; ask for more at once with limit rather than often.`;
}

/** What a tool lacks here, as a sentence; undefined: nothing. */
async function missing({ deps, ...ctx }: ToolCtx, { needs }: Tool): Promise<string | undefined> {
  if (needs === 'datastore_role') return deps.sql.datastore.missing(ctx);
  return needs === 'embeddings' && !deps.embeddings ? NO_EMBEDDINGS : undefined;
}

interface CheckedTool {
  readonly tool: Tool;
  /** The input as the tool takes it; throws a Fault where it does not fit. */
  check(input: unknown): unknown;
}

async function run(ctx: ToolCtx, { tool, check }: CheckedTool, input: unknown): Promise<ToolResult> {
  const { name } = tool;
  if (!hasMcpPrivilege(ctx.principal, name))
    return refuse(
      ctx,
      name,
      `You may not use ${name}. Ask for the MCP privilege ${name}, and for a token whose scope has it.`,
    );
  try {
    const lacks = await missing(ctx, tool);
    if (lacks !== undefined) return denied(lacks);
    const db = tool.writes ? ctx.db : until(ctx.db, () => ctx.signal);
    const call = async () => {
      const answered = await tool.run({ ...ctx, db, principal: ctx.principal }, check(input));
      return typeof answered === 'string' ? plainAnswer(answered) : answered;
    };
    const isStored = !tool.writes && tool.reaches === undefined;
    return { ...(await (isStored ? withReadBudget(ctx, call) : call())), is_error: false };
  } catch (error) {
    return failure(ctx, name, error);
  }
}

export function createToolbox({
  base_url,
  sql,
  llm,
  proxy,
  clock,
  calls_per_minute = CALLS_A_MINUTE,
  tools = catalog,
  resources = known,
}: ToolboxOptions): Toolbox {
  const deps: ToolDeps = {
    base_url,
    resources,
    sql,
    knowledge: createKnowledge(),
    embeddings: llm && proxy && embeddingsOf(llm, proxy),
  };
  const calls = createRateLimit({ limit: calls_per_minute, window_ms: 60_000, clock });
  const byName = new Map(tools.map((tool) => [tool.name, { tool, check: compileBody(tool.input) }]));
  const within = (ctx: Ctx): ToolCtx => ({ ...ctx, principal: ctx.principal, deps });
  const readable = (ctx: Ctx) => resources.filter(({ uri }) => hasMcpPrivilege(ctx.principal, uri));
  return {
    async tools(ctx) {
      const own = tools.filter(({ name }) => hasMcpPrivilege(ctx.principal, name));
      const lacks = await Promise.all(own.map((tool) => missing(within(ctx), tool)));
      return own
        .filter((_tool, index) => lacks[index] === undefined)
        .map(infoOf)
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async call(ctx, { name, input }) {
      const found = byName.get(name);
      if (!found) return undefined;
      const reason = tooMany(calls, ctx);
      return reason === undefined ? run(within(ctx), found, input) : denied(reason);
    },
    resources: (ctx) => readable(ctx).map(({ uri, name, description }) => ({ uri, name, description })),
    async read(ctx, uri) {
      const found = readable(ctx).find((one) => one.uri === uri);
      return found && JSON.stringify(await found.read(within(ctx)));
    },
  };
}

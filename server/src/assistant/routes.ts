// What the wing assistant serves: conversations, language models, tools over MCP, and statements of people and models.
import type { PublicCtx } from '../identity/identity.ts';
import type { Route } from '../kernel/route.ts';
import { aiRunsRoutes } from './ai-runs/ai-runs.routes.ts';
import type { ModelCalls } from './ai-runs/model-calls.service.ts';
import { answersRoutes } from './answers/answers.routes.ts';
import { chatRoutes } from './chat/chat.routes.ts';
import type { ChatRuns } from './chat/chat-runs.service.ts';
import type { Compacting } from './chat/compact.service.ts';
import { conversationsRoutes } from './conversations/conversations.routes.ts';
import { llmRoutes } from './llm/llm.routes.ts';
import type { Llm } from './llm/llm.service.ts';
import type { LlmChat } from './llm/llm-chat.service.ts';
import type { LlmVectors } from './llm/llm-vectors.service.ts';
import { mcpRoutes } from './mcp/mcp.routes.ts';
import type { Toolbox } from './mcp/toolbox.service.ts';
import { memoriesRoutes } from './memories/memories.routes.ts';
import { sqlRoutes } from './sql/sql.routes.ts';
import type { Sql } from './sql/sql.service.ts';

export interface AssistantServices {
  /** The server's version, such as 0.1.0. */
  version: string;
  llm: Llm;
  proxy: LlmChat & LlmVectors;
  calls: ModelCalls;
  compacting: Compacting;
  chat: ChatRuns;
  toolbox: Toolbox;
  /** Statements of people and models on monitored servers. */
  sql: Sql;
}

export function assistantRoutes(services: AssistantServices): Route<PublicCtx>[] {
  const { llm, proxy, calls, compacting, chat, sql } = services;
  return [
    ...aiRunsRoutes(calls),
    ...answersRoutes(),
    ...chatRoutes(compacting, chat),
    ...conversationsRoutes(),
    ...llmRoutes(llm, proxy, calls),
    ...mcpRoutes(services),
    ...memoriesRoutes(),
    ...sqlRoutes(sql),
  ];
}

// The shape of a tool: one file of this folder is one tool, and is found without being listed anywhere. Guards: what comes
// from an assistant is checked by the schema that it is told, and a tool does what its caller may do, through the services of
// the areas.
import type { Ctx } from '../../identity/identity.ts';
import type { Schema, Static } from '../../kernel/schema.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ToolAnswer } from '../mcp/toolbox.service.ts';
import type { DatastoreSql } from '../sql/datastore-sql.service.ts';
import type { ReadOnlySql } from '../sql/read-only-sql.service.ts';
import type { Embeddings } from './support/embeddings.ts';

/** What the program hands to tools besides the context of the caller. */
export interface ToolDeps {
  /** Where the web pages are, without a slash at its end; links are paths where it is not known. */
  base_url: string | undefined;
  resources: readonly Resource[];
  /** Statements on monitored servers, which only read. */
  sql: ReadOnlySql & { datastore: DatastoreSql };
  knowledge: Knowledge;
  /** Undefined: no configured provider makes any. */
  embeddings: Embeddings | undefined;
}

export interface ToolCtx extends Ctx {
  deps: ToolDeps;
}

/** Something that is read by its address. Its privilege is the address. */
export interface Resource {
  uri: string;
  privilege: Privilege;
  name: string;
  description: string;
  /** A value that is sent as JSON. */
  read(ctx: ToolCtx): Promise<unknown>;
}

export interface Example {
  /** What a person would ask. */
  ask: string;
  input: Readonly<Record<string, unknown>>;
}

/** What can be granted to groups and named in scopes of tokens. Ids are on the wire: they are never changed and never used again. */
export interface Privilege {
  id: number;
  description: string;
  /** Needs no grant; a token's scope limits it all the same. */
  is_public?: true;
}

export interface Tool<S extends Schema = Schema> {
  /** Also the identifier of the privilege that it takes. */
  name: string;
  privilege: Privilege;
  /** What people read in the list of an assistant. */
  title: string;
  /** One line. */
  summary: string;
  /** What it answers, what is special about it, and when to ask something else. */
  description: string;
  /** What a call costs whom. */
  cost: string;
  /** Statements on our datastore that a call takes at most on a server without samples, the look at who asks among them. */
  most_statements: number;
  examples: readonly [Example, ...Example[]];
  input: S;
  /** It changes something of ours; nothing changes a monitored server. */
  writes?: true;
  /** The farthest that a call reaches: a monitored server, or a provider, which may be anybody. What is stored here, when absent. */
  reaches?: 'server' | 'provider';
  /** It is listed only where that is there (`toolbox.ts`): a provider that makes vectors, or the role that queries the datastore. */
  needs?: 'embeddings' | 'datastore_role';
  /** The input has been checked. */
  run(ctx: ToolCtx, input: Static<S>): Promise<ToolAnswer | string>;
}

/**
 * Declares a tool.
 * @example
 * export const tool = defineTool({ name: 'list_connections', title: 'Servers', summary: 'Monitored servers that you can see.',
 *   description: '…', cost: 'One statement on our datastore.',
 *   privilege: { id: 10, description: 'List the visible connections' }, most_statements: 4, examples: [{ ask: 'Which servers are there?', input: {} }],
 *   input: object({}), run: async (ctx) => table(…) });
 */
export const defineTool = <S extends Schema>(tool: Tool<S>): Tool => tool;

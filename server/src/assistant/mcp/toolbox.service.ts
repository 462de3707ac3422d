// What the protocol and the mirror need of the tools, which stand outside of the areas because they use all of them; the
// program hands them in. Guards: only what the caller may use is listed, and only that is run.
import type { Ctx } from '../../identity/identity.ts';

export interface ToolInfo {
  name: string;
  title: string;
  description: string;
  /** One line. */
  summary: string;
  input: Readonly<Record<string, unknown>>;
  /** Changes nothing, neither here nor on a monitored server. */
  is_read_only: boolean;
  /** What a call reaches: what is stored here, a monitored server to read, or more than reading. */
  reach: 'stored' | 'server' | 'beyond';
}

/** What a tool answers: the text for a model, and what a page shows beside it. Null: it does not say. */
export interface ToolAnswer {
  text: string;
  /** Where its figures come from. */
  source: string | null;
  /** The page that shows the same, as a path of ours. */
  page: string | null;
  /** Of its tables, as far as they are in the text. */
  rows: number | null;
}

export interface ToolResult extends ToolAnswer {
  is_error: boolean;
}

/** An answer of a text alone. */
export const plainAnswer = (text: string): ToolAnswer => ({ text, source: null, page: null, rows: null });

export interface ResourceInfo {
  uri: string;
  name: string;
  description: string;
}

export interface Toolbox {
  /** By name: what the caller may use, and whose prerequisites are met. */
  tools(ctx: Ctx): Promise<readonly ToolInfo[]>;
  /** Undefined: there is no tool of that name. A denied or failing one is a result. */
  call(ctx: Ctx, asked: { name: string; input: unknown }): Promise<ToolResult | undefined>;
  resources(ctx: Ctx): readonly ResourceInfo[];
  /** JSON; undefined: there is none of that address, or the caller may not read it. */
  read(ctx: Ctx, uri: string): Promise<string | undefined>;
}

// Operations of the tools, and the address of the protocol.

import type { Ctx } from '../../identity/identity.ts';
import { cutText, inertJson } from '../../kernel/inert-text.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import * as contract from './mcp.contract.ts';
import { answerPost } from './mcp.service.ts';
import type { Toolbox } from './toolbox.service.ts';

export interface McpDeps {
  toolbox: Toolbox;
  version: string;
}

const schemaOf = (input: Readonly<Record<string, unknown>>) => ({
  type: 'object',
  properties: { ...Object(input.properties) },
  ...(Array.isArray(input.required) && { required: input.required.map(String) }),
});

export function mcpRoutes({ toolbox, version }: McpDeps): Route<Ctx>[] {
  return [
    route(contract.listMcpTools, async (ctx) => ({
      tools: (await toolbox.tools(ctx)).map(({ name, description, summary, input, reach }) => ({
        name,
        description,
        compactDescription: summary,
        inputSchema: schemaOf(input),
        reach,
      })),
    })),
    route(contract.callMcpTool, async (ctx, { body }) => {
      const { name, arguments: input = {} } = body;
      const result = await toolbox.call(ctx, { name, input });
      const text = result?.text ?? `There is no tool ${cutText(name, 80)}; GET /api/v1/mcp/tools names them.`;
      return {
        content: [{ type: 'text' as const, text }],
        ...(result?.is_error !== false && { isError: true }),
      };
    }),
    route(contract.mcp, async (ctx, _input, http) => {
      const { status, body } = await answerPost(
        { ctx, toolbox, version },
        { bytes: http.raw_body, header: (name) => http.header(name) },
      );
      return new Reply({ status, ...(body && { json: inertJson(JSON.stringify(body)) }) });
    }),
  ];
}

// Tools for assistants, twice: as two plain operations, and as the Model Context Protocol on one address. Both call the same
// tools with the caller's own rights.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const operation = operationsOf({ tag: 'mcp' });

const MCPTool = s.component('MCPTool', {
  name: s.text(),
  description: s.text(),
  compactDescription: s.optional(s.text({ description: 'One line, for models with little room.' })),
  inputSchema: s.object({
    type: s.text(),
    properties: s.anyObject(),
    required: s.optional(s.list(s.text())),
  }),
  reach: s.optional(
    s.ours(
      s.oneOf(['stored', 'server', 'beyond'], {
        description:
          'What a call reaches: what is stored here, a monitored server by a statement that reads, or beyond reading: it changes what is remembered or sends texts to a provider.',
      }),
    ),
  ),
});
const MCPToolCallRequest = s.component('MCPToolCallRequest', {
  name: s.text({ minLength: 1 }),
  arguments: s.optional(s.anyObject()),
});
const MCPToolCallResponse = s.component('MCPToolCallResponse', {
  content: s.list(s.object({ type: s.oneOf(['text']), text: s.text() })),
  isError: s.optional(s.boolean()),
});

const JSONRPCRequest = s.component('JSONRPCRequest', {
  jsonrpc: s.oneOf(['2.0']),
  id: s.optional(s.anyValue()),
  method: s.text(),
  params: s.optional(s.anyObject()),
});
const JSONRPCResponse = s.component('JSONRPCResponse', {
  jsonrpc: s.oneOf(['2.0']),
  id: s.anyValue(),
  result: s.optional(s.anyValue()),
  error: s.optional(s.object({ code: s.integer(), message: s.text(), data: s.optional(s.anyValue()) })),
});

const toolExample = {
  name: 'list_connections',
  description: 'Lists the monitored servers that you can see.',
  compactDescription: 'Monitored servers that you can see.',
  inputSchema: { type: 'object', properties: {} },
  reach: 'stored' as const,
};

export const listMcpTools = operation({
  id: 'listMcpTools',
  route: 'GET /api/v1/mcp/tools',
  summary: 'List available MCP tools',
  access: { visible: 'tools' },
  success: ok(s.component('MCPToolList', { tools: s.list(MCPTool) }), { tools: [toolExample] }),
  notes: ['Only tools the caller may call and whose prerequisites are met, ordered by name.'],
});

export const callMcpTool = operation({
  id: 'callMcpTool',
  route: 'POST /api/v1/mcp/tools/call',
  summary: 'Execute an MCP tool',
  access: { tool: 'body.name' },
  body: MCPToolCallRequest,
  bodyExample: { name: 'list_connections', arguments: {} },
  success: ok(MCPToolCallResponse, { content: [{ type: 'text', text: 'id\tname\n1\tprimary' }] }),
  notes: [
    '200 once the body is valid: a denied, unknown or failing tool gives isError true and a text block that says why.',
    "Access to the connection is checked inside the tool with the caller's own access.",
  ],
});

export const mcp = operation({
  id: 'mcp',
  route: 'POST /mcp/v1',
  summary: 'MCP protocol endpoint',
  access: 'signed-in',
  takesProviderTokens: true,
  extra: true,
  rawBody: { schema: s.anyOf([JSONRPCRequest, s.list(JSONRPCRequest)]), isJson: true },
  bodyExample: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  success: ok(s.anyOf([JSONRPCResponse, s.list(JSONRPCResponse)]), {
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [toolExample] },
  }),
  others: [
    { status: 202, description: 'Accepted; no body.' },
    {
      status: 400,
      description: 'Parse error, invalid request, header mismatch or unsupported protocol version.',
      schema: JSONRPCResponse,
    },
    { status: 404, description: 'Unknown method (stateless revision).', schema: JSONRPCResponse },
  ],
  notes: [
    'JSON-RPC 2.0, one POST for each message. Handshake revisions 2024-11-05 to 2025-11-25 and the stateless revision 2026-07-28 are served on the same address.',
    'Access tokens of a sign-in provider are taken where the settings say so. 401 then names the resource metadata (RFC 9728) in WWW-Authenticate.',
    'Notifications answer 202 without a body. GET and DELETE answer 405. No Mcp-Session-Id is ever issued.',
  ],
});

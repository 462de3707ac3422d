// Revision 2026-07-28: each request says by itself what it is, in its _meta and once more in headers, so that what stands
// between can route it unread. Guards: a request whose headers and body differ is refused before anything is done.

import { cutText } from '../../kernel/inert-text.ts';
import { isRecord } from '../../kernel/read-json.ts';
import { HANDSHAKE_VERSIONS } from './handshake.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, type Message, type Params, RpcError } from './json-rpc.ts';
import {
  CAPABILITIES,
  INSTRUCTIONS,
  type Method,
  methodNamed,
  type Result,
  type Served,
  serverInfo,
  UnknownResource,
} from './methods.ts';

const STATELESS_VERSION = '2026-07-28';
const SUPPORTED = [STATELESS_VERSION, ...HANDSHAKE_VERSIONS];
const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo';

export type Header = (name: string) => string | undefined;

const metaOf = ({ _meta }: Params): Params => (isRecord(_meta) ? _meta : {});

export function isStateless(value: unknown, header: Header): boolean {
  const params = isRecord(value) && isRecord(value.params) ? value.params : {};
  return Object.hasOwn(metaOf(params), VERSION_KEY) || header('mcp-protocol-version') === STATELESS_VERSION;
}

/** The member of params that a header repeats. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'resources/read': 'uri',
  'prompts/get': 'name',
};

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** A header cannot hold every character; what it cannot is sent as base64 of UTF-8. */
function decoded(value: string | undefined): string | undefined {
  const encoded = value === undefined ? null : ENCODED.exec(value);
  if (!encoded) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded[1] ?? '', 'base64'));
  } catch {
    return undefined;
  }
}

const refuse = (code: number, message: string, data?: unknown) =>
  new RpcError(code, message, { status: 400, data });

function demandHeader(name: string, value: string | undefined, expected: unknown): void {
  if (value !== undefined && value === expected) return;
  throw refuse(HEADER_MISMATCH, `The header ${name} must be there and say the same as the body.`);
}

/** In this order: what is missing in the body, what differs in the headers, what is unknown. */
function demandConsistent({ method, params }: Message, header: Header): void {
  const meta = metaOf(params);
  const version = meta[VERSION_KEY];
  if (typeof version !== 'string') throw refuse(INVALID_PARAMS, `params._meta has no ${VERSION_KEY}.`);
  if (!isRecord(meta[CAPABILITIES_KEY]))
    throw refuse(INVALID_PARAMS, `params._meta has no ${CAPABILITIES_KEY}.`);
  demandHeader('MCP-Protocol-Version', header('mcp-protocol-version'), version);
  if (version !== STATELESS_VERSION)
    throw refuse(UNSUPPORTED_VERSION, 'That protocol version is not supported.', {
      supported: SUPPORTED,
      requested: version,
    });
  demandHeader('Mcp-Method', header('mcp-method'), method);
  const named = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined;
  if (named !== undefined) demandHeader('Mcp-Name', decoded(header('mcp-name')), params[named]);
}

const discover: Method = () => ({
  supportedVersions: SUPPORTED,
  capabilities: CAPABILITIES,
  instructions: INSTRUCTIONS,
});

const FIVE_MINUTES_MS = 300_000;

/** How long a client may keep a result, and whether for everybody. */
function keeping(method: string): Result {
  if (method === 'server/discover') return { ttlMs: FIVE_MINUTES_MS, cacheScope: 'public' };
  if (method === 'resources/read') return { ttlMs: 0, cacheScope: 'private' };
  return method.endsWith('/list') ? { ttlMs: FIVE_MINUTES_MS, cacheScope: 'private' } : {};
}

export async function answerStateless(served: Served, message: Message, header: Header): Promise<Result> {
  demandConsistent(message, header);
  const { method, params } = message;
  const known = method === 'server/discover' ? discover : methodNamed(method);
  if (!known)
    throw new RpcError(METHOD_NOT_FOUND, `There is no method ${cutText(method, 80)}.`, { status: 404 });
  try {
    const result = await known(served, params);
    const _meta = { [SERVER_KEY]: serverInfo(served) };
    return { resultType: 'complete', ...result, ...keeping(method), _meta };
  } catch (error) {
    if (!(error instanceof UnknownResource)) throw error;
    throw new RpcError(INVALID_PARAMS, error.message, { data: { uri: error.uri } });
  }
}

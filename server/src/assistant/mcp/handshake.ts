// The revisions that begin with initialize. Guards: nothing depends on it having been called, and no session is kept.
import { cutText } from '../../kernel/inert-text.ts';
import { INVALID_REQUEST, METHOD_NOT_FOUND, type Message, type Params, RpcError } from './json-rpc.ts';
import {
  CAPABILITIES,
  INSTRUCTIONS,
  methodNamed,
  type Result,
  type Served,
  serverInfo,
  UnknownResource,
} from './methods.ts';

export const HANDSHAKE_VERSIONS: readonly string[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const NEWEST = '2025-11-25';
/** The only one in which several messages may come as one list. */
const WITH_LISTS = '2025-03-26';
const RESOURCE_NOT_FOUND = -32002;

const initialized = (served: Served, { protocolVersion }: Params): Result => ({
  protocolVersion: HANDSHAKE_VERSIONS.find((version) => version === protocolVersion) ?? NEWEST,
  capabilities: CAPABILITIES,
  serverInfo: serverInfo(served),
  instructions: INSTRUCTIONS,
});

/** Without the header it is the revision that did not have it yet. */
export function demandVersion(header: string | undefined): void {
  if (header === undefined || HANDSHAKE_VERSIONS.includes(header)) return;
  throw new RpcError(
    INVALID_REQUEST,
    `MCP-Protocol-Version ${cutText(header, 40)} is not supported; use one of ${HANDSHAKE_VERSIONS.join(', ')}.`,
    { status: 400 },
  );
}

export const takesLists = (header: string | undefined) => header === undefined || header === WITH_LISTS;

export async function answerHandshake(served: Served, { method, params }: Message): Promise<Result> {
  if (method === 'initialize') return initialized(served, params);
  if (method === 'ping') return {};
  const known = methodNamed(method);
  if (!known) throw new RpcError(METHOD_NOT_FOUND, `There is no method ${cutText(method, 80)}.`);
  try {
    return await known(served, params);
  } catch (error) {
    if (!(error instanceof UnknownResource)) throw error;
    throw new RpcError(RESOURCE_NOT_FOUND, error.message, { data: { uri: error.uri } });
  }
}

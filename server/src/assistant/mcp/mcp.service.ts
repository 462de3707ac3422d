// The protocol behind its one address: finds out which rules a message is under, does what it asks, and says what to reply.
// Guards: nothing is remembered between two messages, and a fault of ours is told without its words.
import { isUnreachable } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { answerHandshake, demandVersion, takesLists } from './handshake.ts';
import {
  type Answer,
  answered,
  failed,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  idOf,
  messageOf,
  parseJson,
  RpcError,
} from './json-rpc.ts';
import type { Served } from './methods.ts';
import { answerStateless, type Header, isStateless } from './stateless.ts';

export interface Post {
  bytes: Uint8Array;
  /** A header by its name in lower case. */
  header: Header;
}

export interface PostReply {
  status: 200 | 202 | 400 | 404;
  /** Nothing where nobody waits for an answer. */
  body?: Answer | Answer[];
}

/** More in one list would be work without end for one request. */
const MOST_IN_A_LIST = 100;

function problemOf({ ctx }: Served, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  // Of the datastore: the same reply as anywhere.
  if (isUnreachable(error)) throw error;
  if (error instanceof Fault && error.status < 500) return new RpcError(INTERNAL_ERROR, error.message);
  ctx.log.error({ event: 'mcp.failed', err: error });
  return new RpcError(INTERNAL_ERROR, 'internal error');
}

async function answerOne(served: Served, value: unknown, header: Header): Promise<PostReply> {
  try {
    const message = messageOf(value);
    const stateless = isStateless(value, header);
    // To negotiate the version is what `initialize` is for: a client of the future asks in its own, and is told ours.
    if (!stateless && message.method !== 'initialize') demandVersion(header('mcp-protocol-version'));
    if (message.id === undefined) return { status: 202 };
    const result = stateless
      ? await answerStateless(served, message, header)
      : await answerHandshake(served, message);
    return { status: 200, body: answered(message.id, result) };
  } catch (error) {
    const problem = problemOf(served, error);
    return { status: problem.status, body: failed(idOf(value), problem) };
  }
}

const invalid = (message: string): PostReply => ({
  status: 400,
  body: failed(null, new RpcError(INVALID_REQUEST, message)),
});

/** One after the other, so that one request takes no more than one would. */
async function answerList(served: Served, values: readonly unknown[], header: Header): Promise<PostReply> {
  const version = header('mcp-protocol-version');
  if (!takesLists(version)) return invalid('This revision takes one message at a time.');
  if (values.length === 0) return invalid('The list holds no message.');
  if (values.length > MOST_IN_A_LIST) return invalid(`A list holds at most ${MOST_IN_A_LIST} messages.`);
  const answers: Answer[] = [];
  for (const value of values) {
    if (isStateless(value, header)) {
      const problem = new RpcError(INVALID_REQUEST, 'This revision takes one message at a time.');
      answers.push(failed(idOf(value), problem));
      continue;
    }
    const { body } = await answerOne(served, value, header);
    if (body && !Array.isArray(body)) answers.push(body);
  }
  return answers.length === 0 ? { status: 202 } : { status: 200, body: answers };
}

/** What to reply to one POST. */
export async function answerPost(served: Served, { bytes, header }: Post): Promise<PostReply> {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    return { status: 400, body: failed(null, problemOf(served, error)) };
  }
  return Array.isArray(value) ? answerList(served, value, header) : answerOne(served, value, header);
}

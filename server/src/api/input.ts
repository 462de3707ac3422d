// A request's values as the operation's handler gets them: path, query and body, converted and checked.
import type { FastifyRequest } from 'fastify';
import type { Operation } from '../kernel/contract.ts';
import { Fault } from '../kernel/errors.ts';
import { compileBody, compileText } from '../kernel/validate.ts';

export interface RawInput {
  params: unknown;
  query: unknown;
  body: unknown;
}

type Texts = Map<string, string[]>;

function paramTexts(params: unknown): Texts {
  if (typeof params !== 'object' || params === null) return new Map();
  return new Map(Object.entries(params).map(([name, value]) => [name, [String(value)]]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new Fault('bad_request', 'The query of the URL is malformed.', { cause });
  }
}

/** Every text that each name of a query string was sent with. */
function queryTexts(search: string): Texts {
  const texts: Texts = new Map();
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    const known = texts.get(name);
    if (known) known.push(value);
    else texts.set(name, [value]);
  }
  return texts;
}

export function inputOf(operation: Operation): (request: FastifyRequest) => RawInput {
  const params = operation.params && compileText(operation.params);
  const query = operation.query && compileText(operation.query);
  const body = operation.body && compileBody(operation.body);
  return (request) => {
    const isMissing = body !== undefined && request.body === undefined;
    if (isMissing && !operation.bodyOptional)
      throw new Fault('bad_request', 'The request needs a JSON body.');
    return {
      params: params?.(paramTexts(request.params)),
      query: query?.(queryTexts(request.call.search)),
      body: body?.(isMissing ? {} : request.body),
    };
  };
}

const ID = /^[1-9]\d{0,9}$/;
const MAX_ID = 2147483647;

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** The connection that a request's path or query names, before anything was checked; undefined when it is no id. */
export function namedInUrl(name: string, request: FastifyRequest): number | undefined {
  const value = memberOf(request.params, name) ?? queryTexts(request.call.search).get(name)?.[0];
  if (typeof value !== 'string' || !ID.test(value)) return undefined;
  return Number(value) <= MAX_ID ? Number(value) : undefined;
}

/** The connection that checked input names, for access like `id` or `body.connection_id`. */
export function namedInInput(name: string, input: RawInput): number | undefined {
  const value = name.startsWith('body.')
    ? memberOf(input.body, name.slice('body.'.length))
    : (memberOf(input.params, name) ?? memberOf(input.query, name));
  return typeof value === 'number' ? value : undefined;
}

/** The connections that a query value names: one id, or several with commas between. */
export function idsInInput(name: string, { query }: RawInput): number[] {
  const value = memberOf(query, name);
  if (typeof value === 'number') return [value];
  if (typeof value !== 'string' || value === '') return [];
  const ids = value.split(',');
  const odd = ids.find((id) => !ID.test(id) || Number(id) > MAX_ID);
  if (odd !== undefined)
    throw new Fault('bad_request', `${name} must be ids with commas between, like 1,2,3.`);
  return [...new Set(ids.map(Number))];
}

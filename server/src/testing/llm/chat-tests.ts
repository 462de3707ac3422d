// What tests of the chat share: the product with a model that speaks to the mock, a monitored server that is real, and a client that
// reads frames as they come.
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import type { TestApi } from '../api.ts';
import { startWholeApi } from '../rooms/whole.ts';
import { datastoreServer } from '../servers/postgres.ts';
import { type LlmMock, startLlmMock } from './llm-mock.ts';
import type { MockAnswer } from './llm-mock-streams.ts';

export interface Frame {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

function frameOf(text: string): Frame | undefined {
  const of = (name: string) => new RegExp(`^${name}: ([^\n]*)\n?`, 'm').exec(text)?.[1];
  const data = of('data');
  return data === undefined
    ? undefined
    : { id: of('id') ?? '', event: of('event') ?? '', data: JSON.parse(data) };
}

/** Frames of a reply as they come. */
export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const frame = frameOf(part);
      if (frame) yield frame;
    }
  }
}

export interface RequestOptions {
  body?: object;
  token?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

export interface ChatTests {
  readonly mock: LlmMock;
  readonly test: TestApi;
  readonly url: string;
  /** The monitored server, which everybody may read. */
  readonly connection_id: number;
  /** `request('GET /api/v1/chat/questions')`, as a superuser where no token is given. */
  request(line: string, options?: RequestOptions): Promise<Response>;
  /** The model says these one after another, the last one again and again. */
  script(...answers: MockAnswer[]): void;
  /** It looks into the monitored server with that statement. */
  select(text: string): MockAnswer;
  /** All frames of an answer. */
  ask(body: object, token?: string): Promise<Frame[]>;
}

export const toolCall = (name: string, input: object) => ({
  id: `toolu_${name}`,
  name,
  pieces: [JSON.stringify(input)],
});

/** Begins before the tests of a file, and ends after them. */
export function chatTests({ isModel = true } = {}): ChatTests {
  let mock: LlmMock;
  let test: TestApi;
  let url = '';
  let connection_id = 0;
  beforeAll(async () => {
    mock = await startLlmMock({ key: 'key' });
    const anthropic = { api_key: new Secret('key'), base_url: mock.baseUrl('anthropic') };
    test = await startWholeApi(
      isModel ? { llm: { providers: { anthropic }, prices: ['anthropic/*=3/15'] } } : {},
    );
    ({ url } = await test.api.listen());
    const { host, port, superuser: username, password } = datastoreServer();
    const made = await test.call('POST /api/v1/connections', {
      token: test.actors.superuser.session,
      body: { name: 'real', host, port, username, password, database_name: 'postgres', ssl_mode: 'disable' },
    });
    connection_id = JSON.parse(made.text).id;
  });
  afterEach(() => mock.reset());
  afterAll(async () => {
    await test.close();
    await mock.stop();
  });
  const own: ChatTests = {
    get mock() {
      return mock;
    },
    get test() {
      return test;
    },
    get url() {
      return url;
    },
    get connection_id() {
      return connection_id;
    },
    script(...answers) {
      let at = 0;
      mock.say(() => answers[Math.min(at++, answers.length - 1)] ?? { texts: [''] });
    },
    select: (text) => ({
      texts: ['I look.'],
      calls: [toolCall('query_database', { connection_id, query: text })],
    }),
    request(line, { body, token = test.actors.superuser.session, signal, headers = {} } = {}) {
      const [method = '', path = ''] = line.split(' ');
      const type = body && { 'content-type': 'application/json' };
      return fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...type, ...headers },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    },
    async ask(body, token) {
      const response = await own.request('POST /api/v1/chat', {
        body,
        ...(token !== undefined && { token }),
      });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      return Array.fromAsync(framesOf(response));
    },
  };
  return own;
}

/** What all frames of a kind carry. */
export const dataOf = (frames: readonly Frame[], event: string) =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);

export const textOf = (frames: readonly Frame[]) =>
  dataOf(frames, 'text')
    .map(({ delta }) => String(delta))
    .join('');

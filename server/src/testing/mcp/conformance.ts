// The conformance suites of the protocol, run against the real API. They know no sign-in, so a small proxy adds a session to each
// request and passes on everything else as it came; and they want tools and resources of fixed names, which stand here.
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { defineTool, type Resource, type Tool } from '../../assistant/tools/types.ts';
import { object } from '../../kernel/schema.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

const fixture = (name: string, run: () => Promise<string>): Tool =>
  defineTool({
    name,
    title: name,
    summary: 'A fixture.',
    description: 'A fixture of the conformance suites.',
    privilege: { id: 1000, description: 'Test' },
    most_statements: 0,
    cost: 'Nothing.',
    examples: [{ ask: 'Does it work?', input: {} }],
    input: object({}),
    run,
  });

export const FIXTURE_TOOLS: readonly Tool[] = [
  fixture('test_simple_text', async () => 'This is a simple text response for testing.'),
  fixture('test_error_handling', () =>
    Promise.reject(new Error('This tool intentionally returns an error for testing')),
  ),
];

export const FIXTURE_RESOURCES: readonly Resource[] = [
  {
    uri: 'test://static-text',
    privilege: { id: 1001, description: 'Test' },
    name: 'static-text',
    description: 'A fixture.',
    read: async () => 'This is the content of the static text resource.',
  },
];

export interface SignedInProxy {
  url: string;
  close(): Promise<void>;
}

/** Adds the cookie of a session; headers, also Host and Origin, stay as they are. */
export async function startProxy(target: string, session: string): Promise<SignedInProxy> {
  const { hostname, port } = new URL(target);
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, cookie: `session_token=${session}` };
    const { method, url } = request;
    const onward = http.request({ hostname, port, method, path: url, headers, setHost: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const own = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${own}/mcp/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export interface SuiteRun {
  /** Of `node_modules`. */
  suite: string;
  args: readonly string[];
}

/** What a suite printed, and whether it is content. */
export function runSuite({ suite, args }: SuiteRun): Promise<{ code: number | null; output: string }> {
  const main = path.join(ROOT, 'node_modules', suite, 'dist/index.js');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, 'server', ...args], { cwd: ROOT });
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

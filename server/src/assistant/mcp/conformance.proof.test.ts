// Both conformance suites against the real API. No exception is without its reason; what is expected to fail and passes fails here
// too. The official clients are in clients.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import {
  FIXTURE_RESOURCES,
  FIXTURE_TOOLS,
  runSuite,
  type SignedInProxy,
  startProxy,
} from '../../testing/mcp/conformance.ts';
import { startWholeApi, type WholeApi } from '../../testing/rooms/whole.ts';
import { testDirectory } from '../../testing/servers/postgres.ts';
import { createToolbox } from '../tools/toolbox.ts';

let test: WholeApi;
let fixed: WholeApi;
let proxy: SignedInProxy;
beforeAll(async () => {
  test = await startWholeApi();
  const fixtures = { tools: FIXTURE_TOOLS, resources: FIXTURE_RESOURCES };
  const toolbox = createToolbox({
    base_url: undefined,
    sql: test.services.sql,
    clock: systemClock,
    ...fixtures,
  });
  fixed = await startWholeApi({ services: { toolbox } });
  proxy = await startProxy((await fixed.api.listen()).url, fixed.actors.superuser.session);
}, 60_000);
afterAll(async () => {
  await proxy.close();
  await fixed.close();
  await test.close();
});

const NO_STREAM = 'replies are one JSON document, never a stream';
const TEXT_ONLY = 'tools and resources answer text';
const NO_PROMPTS = 'there are no prompts yet';
const NOT_OFFERED = 'is not among the capabilities that we tell of';
const NO_INPUT = 'nothing is asked of the client in the middle of a call';
const EXTENSION = 'tasks are an extension that we do not offer';

/** By scenario. */
const IN_ALL: Readonly<Record<string, string>> = {
  'completion-complete': NOT_OFFERED,
  'tools-call-image': TEXT_ONLY,
  'tools-call-audio': TEXT_ONLY,
  'tools-call-embedded-resource': TEXT_ONLY,
  'tools-call-mixed-content': TEXT_ONLY,
  'tools-call-with-progress': NO_STREAM,
  'resources-read-binary': TEXT_ONLY,
  'resources-templates-read': 'there are no templates',
  'prompts-get-simple': NO_PROMPTS,
  'prompts-get-with-args': NO_PROMPTS,
  'prompts-get-embedded-resource': NO_PROMPTS,
  'prompts-get-with-image': NO_PROMPTS,
  'json-schema-2020-12': 'inputs are kept to the words of JSON Schema that OpenAPI 3.0 has',
  'dns-rebinding-protection':
    'it sends no Origin but that of the Host it names, and any name may be ours; who has no session there gets nothing, and its cookie is of another name',
};
const HANDSHAKE: Readonly<Record<string, string>> = {
  ...IN_ALL,
  'logging-set-level': NOT_OFFERED,
  'tools-call-with-logging': NO_STREAM,
  'tools-call-sampling': NO_INPUT,
  'tools-call-elicitation': NO_INPUT,
  'elicitation-sep1034-defaults': NO_INPUT,
  'elicitation-sep1330-enums': NO_INPUT,
  'resources-subscribe': NOT_OFFERED,
  'resources-unsubscribe': NOT_OFFERED,
};
const STATELESS: Readonly<Record<string, string>> = {
  ...IN_ALL,
  'server-stateless': 'four of its checks need fixtures that ask something of the client, or log to it',
  'http-custom-header-server-validation': 'no tool of ours repeats an argument in a header',
  ...Object.fromEntries(
    ['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input']
      .concat(['request-headers', 'dispatch-and-envelope', 'required-task-error', 'mrtr-composition'])
      .map((name) => [`tasks-${name}`, EXTENSION]),
  ),
  ...Object.fromEntries(
    ['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests']
      .concat(['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'])
      .map((name) => [`input-required-result-${name}`, NO_INPUT]),
  ),
};

it.each([
  ['0.1', '@modelcontextprotocol/conformance', ['--suite', 'all'], HANDSHAKE],
  ['0.2, handshake', 'conformance-next', ['--suite', 'all', '--spec-version', '2025-11-25'], HANDSHAKE],
  ['0.2, stateless', 'conformance-next', ['--requirements', '2026-07-28'], STATELESS],
] as const)(
  'the conformance suite %s finds what is explained, and nothing else',
  async (...[, suite, args, expected]) => {
    const out = ['-o', testDirectory('conformance')];
    const { output } = await runSuite({
      suite,
      args: ['--url', proxy.url, ...args, ...(suite === 'conformance-next' ? out : [])],
    });
    const verdicts = [...output.matchAll(/^([✓✗]) ([a-z0-9-]+): \d+ passed, \d+ failed/gm)];
    const failed = verdicts.flatMap(([, mark, scenario]) => (mark === '✗' ? [String(scenario)] : []));
    expect(verdicts.length, output).toBeGreaterThan(25);
    expect(failed.sort()).toEqual(Object.keys(expected).sort());
  },
  120_000,
);

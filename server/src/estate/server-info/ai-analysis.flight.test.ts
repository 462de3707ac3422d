// The analysis under many requests, several processes and a provider that fails: one model call for everybody, its
// outcome for all who wait, and nothing of a failure kept or leaked. A model that is slow for seconds is in
// ai-analysis.flight.proof.test.ts.
import { describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import {
  ANSWER,
  analysisTests,
  CANARY,
  ctx,
  DATABASES,
  MODEL_PATIENCE,
  requests,
  SECOND_PROCESS,
  sentenceOf,
} from '../../testing/llm/analysis-tests.ts';
import { type MockFault, PROVIDERS_OWN_TEXT } from '../../testing/llm/llm-mock.ts';

const tests = analysisTests();
const { modelIsAsked } = tests;

describe('one call for all', () => {
  /** The second process has looked at the row since the attempt stands in it, so it waits for that one. */
  async function hasSeenTheAttempt(): Promise<boolean> {
    const { seen } = await tests.datastore.db.one<{ seen: boolean }>(sql`/* test.waiting */
select exists (
  select
  from pg_stat_activity p
  join matriarch.ai_analyses a on a.connection_id = 1
  where p.application_name = ${SECOND_PROCESS}
    and p.query like '%/* ai_analysis.read */%'
    and p.query_start > a.attempt_expires_at - interval '10 seconds'
) as seen`);
    return seen;
  }

  it('makes one model call for 50 requests over two processes', async () => {
    await tests.collected(1, { orders: 1, weather: 2 });
    const release = Promise.withResolvers<string>();
    tests.mock.reply(() => release.promise);
    const waiting = tests.twoProcesses().flatMap((one) => requests(one, 25));
    await modelIsAsked();
    release.resolve(ANSWER);
    const analyses = await Promise.all(waiting);
    expect(new Set(analyses.map((analysis) => JSON.stringify(analysis))).size).toBe(1);
    expect(analyses[0]?.databases).toEqual(DATABASES);
    expect(tests.mock.generated()).toHaveLength(1);
  });

  it('gives its failure to all 50, and begins anew afterwards', async () => {
    await tests.collected(1, { orders: 1, weather: 2 });
    const release = Promise.withResolvers<string>();
    tests.mock.reply(() => release.promise);
    const [first, second] = tests.twoProcesses();
    const waiting = requests(first, 25);
    await modelIsAsked();
    const late = requests(second, 25);
    await expect.poll(hasSeenTheAttempt, MODEL_PATIENCE).toBe(true);
    release.resolve('I would rather not.');
    const sentences = await Promise.all([...waiting, ...late].map(sentenceOf));
    expect(sentences).toHaveLength(50);
    expect(new Set(sentences)).toEqual(
      new Set(['The AI analysis failed: the answer of the model could not be used.']),
    );
    expect(tests.mock.generated()).toHaveLength(1);
    tests.mock.reply(ANSWER);
    expect((await second.getServerAiAnalysis(ctx, 1))?.databases).toEqual(DATABASES);
    expect(tests.mock.generated()).toHaveLength(2);
  });

  it('goes on when the client that began it leaves', async () => {
    await tests.collected(1, { orders: 1, weather: 2 });
    const analysis = tests.service();
    const release = Promise.withResolvers<string>();
    tests.mock.reply(() => release.promise);
    const leaving = new AbortController();
    const first = analysis.getServerAiAnalysis({ signal: leaving.signal }, 1);
    const second = analysis.getServerAiAnalysis(ctx, 1);
    await modelIsAsked();
    leaving.abort();
    await expect(first).rejects.toMatchObject({ name: 'Fault', code: 'unavailable' });
    release.resolve(ANSWER);
    expect((await second)?.databases).toEqual(DATABASES);
    expect(tests.mock.generated()).toHaveLength(1);
  });

  it('takes over from a process that died, once its attempt has run out', async () => {
    await tests.collected(1, { orders: 1, weather: 2 });
    await tests.datastore.db.run(sql`/* test.dead_attempt */
insert into matriarch.ai_analyses (connection_id, attempt_id, attempt_expires_at)
values (1, 'of a dead process', now() + interval '1 hour')`);
    const waiting = tests.twoProcesses().flatMap((one) => requests(one, 5));
    const early = await Promise.race([
      waiting[0],
      new Promise((resolve) => setTimeout(resolve, 500, 'waits')),
    ]);
    expect(early).toBe('waits');
    expect(tests.mock.generated()).toHaveLength(0);
    await tests.datastore.db.run(
      sql`/* test.run_out */ update matriarch.ai_analyses set attempt_expires_at = now()`,
    );
    for (const analysis of await Promise.all(waiting)) expect(analysis?.databases).toEqual(DATABASES);
    expect(tests.mock.generated()).toHaveLength(1);
  });

  it('hands its work to another process when it stops', async () => {
    await tests.collected(1, { orders: 1, weather: 2 });
    const [stopping, other] = tests.twoProcesses();
    tests.mock.failNext('generate', { kind: 'hang' });
    const first = stopping.getServerAiAnalysis(ctx, 1);
    const given = expect(first).rejects.toMatchObject({ name: 'Fault', code: 'unavailable' });
    await modelIsAsked();
    const second = other.getServerAiAnalysis(ctx, 1);
    await stopping.stop();
    await given;
    expect((await second)?.databases).toEqual(DATABASES);
    await expect(stopping.getServerAiAnalysis(ctx, 1)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('a failing model', () => {
  const FAILURES: { name: string; fault: MockFault; sentence: string }[] = [
    {
      name: '429',
      fault: { kind: 'status', status: 429, retry_after: '0' },
      sentence: 'the LLM provider refused the request',
    },
    {
      name: '500',
      fault: { kind: 'status', status: 500 },
      sentence: 'the LLM provider answered with an error',
    },
    {
      name: 'a wrong key',
      fault: { kind: 'status', status: 401 },
      sentence: 'the LLM provider refused the request',
    },
    { name: 'no answer', fault: { kind: 'hang' }, sentence: 'the model did not answer in time' },
    { name: 'a reset', fault: { kind: 'reset' }, sentence: 'the LLM provider cannot be reached' },
    { name: 'a cut answer', fault: { kind: 'cut' }, sentence: 'the LLM provider answered with an error' },
    { name: 'broken JSON', fault: { kind: 'not_json' }, sentence: 'the LLM provider answered with an error' },
    {
      name: 'another shape',
      fault: { kind: 'wrong_shape' },
      sentence: 'the LLM provider answered with an error',
    },
    {
      name: 'an endless answer',
      fault: { kind: 'huge', bytes: 5_000_000 },
      sentence: 'the LLM provider answered with an error',
    },
  ];

  it.each(FAILURES)(
    'says what happened after $name, keeps nothing and leaks nothing',
    async ({ fault, sentence }) => {
      await tests.collected(1, { orders: 1, weather: 2 });
      tests.mock.failAlways('generate', fault);
      const analysis = tests.service({ model_timeout_ms: fault.kind === 'hang' ? 500 : 15_000 });
      expect(await sentenceOf(analysis.getServerAiAnalysis(ctx, 1))).toBe(
        `The AI analysis failed: ${sentence}.`,
      );
      expect(tests.lines.some((line) => line.includes('ai_analysis.failed'))).toBe(true);
      for (const line of tests.lines) {
        expect(() => JSON.parse(line)).not.toThrow();
        expect(line).not.toContain(CANARY);
        expect(line).not.toContain(PROVIDERS_OWN_TEXT);
      }
      tests.mock.failAlways('generate', undefined);
      expect((await analysis.getServerAiAnalysis(ctx, 1))?.databases).toEqual(DATABASES);
    },
  );

  it('gets over one 429', async () => {
    await tests.collected(1, { orders: 1, weather: 2 });
    tests.mock.failNext('generate', { kind: 'status', status: 429, retry_after: '0' });
    expect((await tests.service().getServerAiAnalysis(ctx, 1))?.databases).toEqual(DATABASES);
  });
});

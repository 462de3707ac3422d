// The analysis through HTTP: who may ask is decided before anything that is kept is looked at (S20), and a failure
// is one sentence.
import { describe, expect, it } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { analysisTests, CANARY, DATABASES } from '../../testing/llm/analysis-tests.ts';
import { PROVIDERS_OWN_TEXT } from '../../testing/llm/llm-mock.ts';
import { serverInfoRoutes } from './server-info.routes.ts';

const tests = analysisTests();

async function withApi(
  work: (api: Awaited<ReturnType<typeof startTestApi>>) => Promise<void>,
): Promise<void> {
  const analysis = tests.service();
  const api = await startTestApi({ rooms: [() => serverInfoRoutes({ analysis })] });
  try {
    await tests.collected(api.actors.own_connection, { orders: 1, weather: 2 });
    await work(api);
  } finally {
    await api.close();
  }
}

const pathOf = (id: number | string) => `GET /api/v1/server-info/${id}/ai-analysis`;

describe('GET …/ai-analysis', () => {
  it('shows what is kept only to those who may see the connection', () =>
    withApi(async ({ call, actors }) => {
      const { own_connection, shared_connection, owner, other } = actors;
      const made = await call(pathOf(own_connection), { token: owner.session });
      expect(made.status).toBe(200);
      expect(made.body).toEqual({ databases: DATABASES, generated_at: expect.stringMatching(/Z$/) });
      const kept = await call(pathOf(own_connection), { token: owner.session });
      expect(kept.body).toEqual(made.body);
      expect((await call(pathOf(own_connection), { token: other.session })).status).toBe(403);
      expect((await call(pathOf(own_connection))).status).toBe(401);
      expect((await call(pathOf(2_000_000), { token: owner.session })).status).toBe(403);
      for (const id of ['0', '-1', '1.0', '0x1', '2147483648', 'x'])
        expect((await call(pathOf(id), { token: owner.session })).status).toBe(400);
      const nothing = await call(pathOf(shared_connection), { token: other.session });
      expect([nothing.status, nothing.text]).toEqual([200, 'null']);
      expect(tests.mock.generated()).toHaveLength(1);
    }));

  it('answers a failing model with 500 and one sentence of ours', () =>
    withApi(async ({ call, actors }) => {
      tests.mock.failAlways('generate', { kind: 'status', status: 500 });
      const answer = await call(pathOf(actors.own_connection), { token: actors.owner.session });
      expect(answer.status).toBe(500);
      expect(answer.body).toEqual({
        error: 'The AI analysis failed: the LLM provider answered with an error.',
      });
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(CANARY);
      expect(answer.text).not.toContain(PROVIDERS_OWN_TEXT);
    }));
});

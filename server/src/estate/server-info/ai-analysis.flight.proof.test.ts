// The analysis while the model is slow for seconds. One call for all and failures are in ai-analysis.flight.test.ts.
import { expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import {
  ANSWER,
  analysisTests,
  DATABASES,
  MODEL_PATIENCE,
  requests,
} from '../../testing/llm/analysis-tests.ts';

const tests = analysisTests();

it('an analysis says that it is alive while the model is slow', async () => {
  await tests.collected(1, { orders: 1, weather: 2 });
  const release = Promise.withResolvers<string>();
  tests.mock.reply(() => release.promise);
  const [analysis] = requests(tests.service(), 1);
  await tests.modelIsAsked();
  await tests.datastore.db.run(sql`/* test.nearly_out */
update matriarch.ai_analyses set attempt_expires_at = clock_timestamp() + interval '5 seconds'`);
  const extended = () =>
    tests.datastore.db.one<{ is_alive: boolean }>(sql`/* test.alive */
select attempt_expires_at > clock_timestamp() + interval '7 seconds' as is_alive
from matriarch.ai_analyses`);
  await expect.poll(extended, MODEL_PATIENCE).toEqual({ is_alive: true });
  release.resolve(ANSWER);
  expect((await analysis)?.databases).toEqual(DATABASES);
});

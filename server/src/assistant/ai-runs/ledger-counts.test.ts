// Counts of tokens as a provider tells them: what cannot be one is estimated, and never reaches a budget.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../../testing/access/actors.ts';
import type { TestApi } from '../../testing/api.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { createLedger } from './ledger.ts';
import { Masker } from './masking.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startWholeApi();
});
afterAll(() => test.close());

it.each([-1_000_000, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e18])(
  '%d tokens are none',
  async (tokens) => {
    const { db } = test;
    const { user_id } = await makeUser(db);
    const limits = {
      ...{ tokens_per_day: 10_000, own_tokens_per_day: 10_000, keep_calls_days: 1 },
      ...{ prices: [], usd_per_day: 0, own_usd_per_day: 0 },
    };
    const ledger = createLedger({ db, clock: systemClock, log: silentLog, ...limits });
    const masker = new Masker({ mask_emails: true, mask_addresses: true });
    const opening = { kind: 'chat', provider: 'ollama', model: 'm', masker, characters: 400 } as const;
    const call = await ledger.open({ user_id, purpose: 'proxy' }, { ...opening, answer_tokens: 100 });
    call.outgoing('{}');
    await call.end({ answer: [], input_tokens: tokens, output_tokens: tokens, said: 40 });
    // 400 characters were sent and 40 came back.
    expect(
      await db.one(sql`/* test.budget */
      select used, reserved from matriarch.token_budgets where user_id = ${user_id}`),
    ).toEqual({ used: 110, reserved: 0 });
    expect(
      await db.one(sql`/* test.call */
      select state, is_estimated from matriarch.model_calls where user_id = ${user_id}`),
    ).toEqual({ state: 'done', is_estimated: true });
  },
);

it.each([
  ['that is refused after 80 MB', { said: 80 * 1024 * 1024, error: new Error('too much') }, 200],
  [
    'that is refused and claims much',
    { said: 40, input_tokens: 900_000, output_tokens: 900_000, error: new Error('broken') },
    1300,
  ],
  ['that breaks off after a little', { said: 40, error: new Error('broken') }, 110],
  ['that never ends and says no figure', { said: 8_000_000, is_cancelled: true }, 200],
  ['that is whole and says what it took', { said: 40, input_tokens: 120, output_tokens: 130 }, 250],
] as const)('an answer %s counts for what it could have taken', async (_what, outcome, used) => {
  const { db } = test;
  const { user_id } = await makeUser(db);
  const ledger = createLedger({
    ...{ db, clock: systemClock, log: silentLog, tokens_per_day: 2_000_000, own_tokens_per_day: 0 },
    ...{ keep_calls_days: 1, prices: [], usd_per_day: 0, own_usd_per_day: 0 },
  });
  const masker = new Masker({ mask_emails: true, mask_addresses: true });
  const opening = { kind: 'chat', provider: 'ollama', model: 'm', masker, characters: 400 } as const;
  const call = await ledger.open({ user_id, purpose: 'proxy' }, { ...opening, answer_tokens: 100 });
  call.outgoing('{}');
  await call.end({ answer: [], ...outcome });
  const budget = sql`/* test.budget */
    select used, reserved from matriarch.token_budgets where user_id = ${user_id}`;
  expect(await db.one(budget)).toEqual({ used, reserved: 0 });
});

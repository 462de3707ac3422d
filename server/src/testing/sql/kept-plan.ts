// A session of many statements of people plans only once what the product asks before each of them: to plan NAMES anew takes the server
// longer than all else together, and a session of the product asks it once. What is asked and answered stays the same (read.kit.test.ts
// goes the way of the product).
import type { TextClient } from '../../monitored/connect.ts';
import { NAMES } from '../../monitored/read-only-sql/names.queries.ts';

const KEEP = `set local plan_cache_mode = force_generic_plan`;
/** As the transaction has it. */
const USUAL = `set local plan_cache_mode = auto`;

/** The same session, for tests that put hundreds of statements through it. */
export function withKeptPlan(client: TextClient): TextClient {
  const query = client.query.bind(client);
  client.query = async <T extends object>(...[text, values, how]: Parameters<TextClient['query']>) => {
    if (text !== NAMES) return query<T>(text, values, how);
    await query(KEEP, [], how);
    const rows = await query<T>(text, values, { ...how, isRepeated: true });
    await query(USUAL, [], how);
    return rows;
  };
  return client;
}

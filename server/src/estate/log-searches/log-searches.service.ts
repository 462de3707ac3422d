// The rules of saved searches: one has one's own, so many at most, and none that finds everything.
import type { Ctx } from '../../identity/identity.ts';
import type { Input, Output } from '../../kernel/contract.ts';
import { Fault } from '../../kernel/errors.ts';
import { iso } from '../../kernel/times.ts';
import { choiceOf } from '../server-logs/log-events.service.ts';
import type * as contract from './log-searches.contract.ts';
import { MOST_SEARCHES } from './log-searches.contract.ts';
import { deleteOwn, insertSearch, listOwn, renameOwn } from './log-searches.queries.ts';

type Search = Output<typeof contract.saveLogSearch>;
type Filter = Search['filter'];

const NONE = new Fault('not_found', 'You have no such search.');

export const listLogSearches = async ({ db, principal }: Ctx): Promise<{ searches: Search[] }> => ({
  searches: await listOwn<Filter>(db, principal.user_id),
});

export async function saveLogSearch(
  { db, principal, clock }: Ctx,
  { name, filter }: Input<typeof contract.saveLogSearch>['body'],
): Promise<Search> {
  if (Object.keys(filter).length === 0)
    throw new Fault('bad_request', 'Set a filter: a search without one finds everything.');
  // Said now, and not when it is used.
  choiceOf(filter);
  const { user_id } = principal;
  const saved = await insertSearch(db, { user_id, name, filter, now: iso(clock.now()), most: MOST_SEARCHES });
  if (!saved)
    throw new Fault('conflict', `You have ${MOST_SEARCHES} saved searches already. Delete some first.`);
  return saved;
}

export async function renameLogSearch(
  { db, principal }: Ctx,
  search: { id: number; name: string },
): Promise<Search> {
  const renamed = await renameOwn<Filter>(db, principal.user_id, search);
  if (!renamed) throw NONE;
  return renamed;
}

export async function deleteLogSearch({ db, principal }: Ctx, id: number): Promise<void> {
  if ((await deleteOwn(db, principal.user_id, id)) === 0) throw NONE;
}

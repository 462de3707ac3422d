// Searches of logs that people have saved, each their own. Guards: they are reached with a session only; one of another person is as if
// it did not exist.
import { created, ok, operationsOf, StatusResponse } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { eventFilters } from '../server-logs/log-events.schemas.ts';

const operation = operationsOf({ tag: 'log-searches', extra: true });

/** Of one person. */
export const MOST_SEARCHES = 50;

const filter = s.component('LogSearchFilter', eventFilters, {
  description: 'As listConnectionLogEvents takes it.',
});
const name = s.displayName({ maxLength: 64 });
const LogSearch = s.component('LogSearch', { id: s.longId(), name, filter, created_at: s.timestamp() });

const example = {
  id: 3,
  name: 'Errors of checkout',
  filter: { severity: 'ERROR' as const, application_name: 'checkout' },
  created_at: '2026-11-29T07:00:00.000Z',
};
/** An object of the operations below: a session, and one's own. */
const own = { object: 'log-search', session: true as const };
const byId = { params: s.object({ id: s.longId() }), paramsExample: { id: 3 } };

export const listLogSearches = operation({
  id: 'listLogSearches',
  route: 'GET /api/v1/log-searches',
  summary: 'List the own saved searches of logs',
  access: 'session',
  success: ok(s.component('LogSearchList', { searches: s.list(LogSearch) }), { searches: [example] }),
  notes: ['By name.'],
});

export const saveLogSearch = operation({
  id: 'saveLogSearch',
  route: 'POST /api/v1/log-searches',
  summary: 'Save a search of logs',
  access: 'session',
  body: s.component('LogSearchSave', { name, filter }),
  bodyExample: { name: example.name, filter: example.filter },
  faults: [409],
  success: created(LogSearch, example),
  notes: [
    `409 from ${MOST_SEARCHES} searches on, and where a search has that name. 400 for a filter that chooses nothing.`,
  ],
});

export const renameLogSearch = operation({
  id: 'renameLogSearch',
  route: 'PATCH /api/v1/log-searches/{id}',
  summary: 'Rename a saved search of logs',
  access: own,
  ...byId,
  body: s.component('LogSearchRename', { name }),
  bodyExample: { name: 'Errors at the checkout' },
  faults: [409],
  success: ok(LogSearch, { ...example, name: 'Errors at the checkout' }),
  notes: ['The id of another user is 404.'],
});

export const deleteLogSearch = operation({
  id: 'deleteLogSearch',
  route: 'DELETE /api/v1/log-searches/{id}',
  summary: 'Delete a saved search of logs',
  access: own,
  ...byId,
  success: ok(StatusResponse, { status: 'deleted' }),
  notes: ['status is "deleted". The id of another user is 404.'],
});

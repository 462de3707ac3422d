// Small operations, one for each kind of access and input, that the tests of the API's ground serve and call.
import { setTimeout as delay } from 'node:timers/promises';
import { apiDocument } from '../api/utilities/document.ts';
import { utilitiesRoutes } from '../api/utilities/utilities.routes.ts';
import type { PublicCtx } from '../identity/access/principal.ts';
import { operation } from '../kernel/contract.ts';
import { Reply, type Route, route } from '../kernel/route.ts';
import { boolean, id, integer, list, nullable, object, optional, text } from '../kernel/schema.ts';

const tag = 'utilities';
const ok = object({ said: nullable(text()) });

const echo = operation({
  id: 'echo',
  route: 'POST /api/v1/echo',
  tag,
  summary: 'Echo',
  access: 'signed-in',
  body: object({
    said: text({ minLength: 1, maxLength: 20 }),
    port: optional(integer({ minimum: 1, maximum: 65535 })),
  }),
  success: { status: 201, schema: ok },
});
const conversation = operation({
  id: 'conversation',
  route: 'POST /api/v1/conversation',
  tag,
  summary: 'A body that may be larger than others',
  access: 'signed-in',
  bodyLimitBytes: 4096,
  body: object({ said: text() }),
  success: { status: 201, schema: ok },
});
const search = operation({
  id: 'search',
  route: 'GET /api/v1/search',
  tag,
  summary: 'Search',
  access: 'public',
  query: object({
    limit: optional(integer({ minimum: 1, maximum: 10 })),
    deep: optional(boolean()),
    word: optional(list(text())),
  }),
  success: { status: 200, schema: ok },
});
const byId = operation({
  id: 'byId',
  route: 'GET /api/v1/things/{id}',
  tag,
  summary: 'Read',
  access: { connection: 'id', need: 'read' },
  params: object({ id: id() }),
  success: { status: 200, schema: ok },
});
const removeById = operation({
  id: 'removeById',
  route: 'DELETE /api/v1/things/{id}',
  tag,
  summary: 'Remove',
  access: { connection: 'id', need: 'manage' },
  params: object({ id: id() }),
  success: { status: 204 },
});
const fixed = operation({
  id: 'fixed',
  route: 'GET /api/v1/things/current',
  tag,
  summary: 'Current',
  access: 'signed-in',
  success: { status: 200, schema: ok },
});
const hidden = operation({
  id: 'hidden',
  route: 'GET /api/v1/hidden/{connection_id}',
  tag,
  summary: 'Hidden',
  access: { connection: 'connection_id', need: 'read', unknown: 'forbidden' },
  params: object({ connection_id: id() }),
  datastoreFaultIs500: true,
  success: { status: 200, schema: nullable(ok) },
});
const named = operation({
  id: 'named',
  route: 'POST /api/v1/named',
  tag,
  summary: 'Named in the body',
  access: { connection: 'body.connection_id', need: 'read' },
  body: object({ connection_id: id() }),
  success: { status: 200, schema: ok },
});
const admin = operation({
  id: 'admin',
  route: 'POST /api/v1/admin',
  tag,
  summary: 'Admin',
  access: { permission: 'manage_connections' },
  body: object({ said: text() }),
  success: { status: 200, schema: ok },
});
const personal = operation({
  id: 'personal',
  route: 'POST /api/v1/personal',
  tag,
  summary: 'Session only',
  access: 'session',
  success: { status: 204 },
});
const broken = operation({
  id: 'broken',
  route: 'GET /api/v1/broken',
  tag,
  summary: 'Broken',
  access: 'public',
  usesDatastore: false,
  success: { status: 200, schema: ok },
});
const slow = operation({
  id: 'slow',
  route: 'GET /api/v1/slow',
  tag,
  summary: 'Slow',
  access: 'public',
  usesDatastore: false,
  success: { status: 200, schema: ok },
});

/** How often `slow` was told to stop. */
export const told = { count: 0 };
const said = (words: string | null) => ({ said: words, secret: 'never leaves' });
export const sampleRoutes: Route<PublicCtx>[] = [
  ...utilitiesRoutes({
    version: '0.0.0',
    figures: async () => ({ type: 'text/plain', text: '' }),
    document: () => apiDocument([]),
  }),
  route(echo, async (_ctx: PublicCtx, { body }) => said(body.said)),
  route(conversation, async (_ctx: PublicCtx, { body }) => said(String(body.said.length))),
  route(search, async (ctx: PublicCtx, { query }) => said(JSON.stringify([query, ctx.principal?.user_id]))),
  route(byId, async (_ctx: PublicCtx, { params }) => said(String(params.id))),
  route(removeById, async () => undefined),
  route(fixed, async () => said('current')),
  route(hidden, async () => null),
  route(named, async (_ctx: PublicCtx, { body }) => said(String(body.connection_id))),
  route(admin, async () => said('done')),
  route(personal, async () => undefined),
  route(broken, async () => {
    throw new Error('select password from secrets');
  }),
  route(slow, async (ctx: PublicCtx) => {
    await delay(10_000, undefined, { signal: ctx.signal }).catch(() => {
      told.count += 1;
    });
    return new Reply({ json: '{"said":"late"}' });
  }),
];

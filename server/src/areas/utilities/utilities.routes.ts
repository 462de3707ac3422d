// Health and the OpenAPI document, which is written once and then sent as it is.
import { Reply, type Route, route } from '../../kernel/route.ts';
import type { PublicCtx } from '../access/principal.ts';
import { getHealth, getOpenapi } from './utilities.contract.ts';
import { demandHealth } from './utilities.service.ts';

export interface UtilitiesOptions {
  /** The server's own version, such as 0.1.0. */
  version: string;
  /** The OpenAPI document as JSON. */
  document: string;
}

export function utilitiesRoutes({ version, document }: UtilitiesOptions): Route<PublicCtx>[] {
  return [
    route(getHealth, async (ctx: PublicCtx) => {
      await demandHealth(ctx.db);
      return { status: 'ok' as const, server: 'Matriarch' as const, version };
    }),
    route(getOpenapi, async () => new Reply({ json: document, headers: { 'cache-control': 'no-cache' } })),
  ];
}

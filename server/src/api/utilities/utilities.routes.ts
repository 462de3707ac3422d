// Health and the OpenAPI document, which is written when somebody asks for the first time, and then sent as it is.

import type { PublicCtx } from '../../identity/access/principal.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import { getHealth, getOpenapi, getReadiness } from './utilities.contract.ts';
import { demandHealth, demandReadiness } from './utilities.service.ts';

export interface UtilitiesOptions {
  /** The server's own version, such as 0.1.0. */
  version: string;
  /** Writes the OpenAPI document as JSON. */
  document(): string;
}

export function utilitiesRoutes({ version, document }: UtilitiesOptions): Route<PublicCtx>[] {
  let written: string | undefined;
  return [
    route(getHealth, async (ctx: PublicCtx) => {
      await demandHealth(ctx.db);
      return { status: 'ok' as const, server: 'Matriarch' as const, version };
    }),
    route(getReadiness, async (ctx: PublicCtx) => {
      await demandHealth(ctx.db);
      await demandReadiness(ctx.db);
      return { status: 'ok' as const, server: 'Matriarch' as const, version };
    }),
    route(getOpenapi, async () => {
      written ??= document();
      return new Reply({ json: written, headers: { 'cache-control': 'no-cache' } });
    }),
  ];
}

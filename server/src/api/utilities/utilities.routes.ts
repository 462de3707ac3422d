// Health, figures and the OpenAPI document, which is written when somebody asks for the first time, and then sent as it is.

import type { PublicCtx } from '../../identity/access/principal.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import type { OwnFigures } from './own-figures.service.ts';
import { getHealth, getLiveness, getOpenapi, getOwnMetrics, getReadiness } from './utilities.contract.ts';
import { demandHealth, demandReadiness } from './utilities.service.ts';

export interface UtilitiesOptions {
  /** The server's own version, such as 1.0.0. */
  version: string;
  figures: OwnFigures;
  /** Writes the OpenAPI document as JSON. */
  document(): string;
}

export function utilitiesRoutes({ version, figures, document }: UtilitiesOptions): Route<PublicCtx>[] {
  let written: string | undefined;
  const well = { status: 'ok' as const, server: 'Matriarch' as const, version };
  return [
    route(getHealth, async (ctx: PublicCtx) => {
      await demandHealth(ctx.db);
      return well;
    }),
    route(getLiveness, () => well),
    route(getReadiness, async (ctx: PublicCtx) => {
      await demandHealth(ctx.db);
      await demandReadiness(ctx.db);
      return well;
    }),
    route(getOwnMetrics, async (_ctx: PublicCtx, _input, http) => {
      const request = { accept: http.header('accept'), authorization: http.header('authorization') };
      const { type, text } = await figures(request);
      return new Reply({ json: text, headers: { 'content-type': type } });
    }),
    route(getOpenapi, async () => {
      written ??= document();
      return new Reply({ json: written, headers: { 'cache-control': 'no-cache' } });
    }),
  ];
}

// Health and the OpenAPI document, which is written once and then sent as it is.
import { isCurrent, Reply, type Route, route } from '../../kernel/route.ts';
import type { PublicCtx } from '../access/principal.ts';
import type { ApiDocument } from './document.ts';
import { getHealth, getOpenapi } from './utilities.contract.ts';
import { demandHealth } from './utilities.service.ts';

export interface UtilitiesOptions {
  /** The server's own version, such as 0.1.0. */
  version: string;
  document: ApiDocument;
}

export function utilitiesRoutes({ version, document }: UtilitiesOptions): Route<PublicCtx>[] {
  return [
    route(getHealth, async (ctx: PublicCtx) => {
      await demandHealth(ctx.db);
      return { status: 'ok' as const, server: 'Matriarch' as const, version };
    }),
    route(getOpenapi, async (_ctx: PublicCtx, _input, http) => {
      const headers = { etag: document.etag, 'cache-control': 'no-cache' };
      if (isCurrent(http.header('if-none-match'), document.etag)) return new Reply({ status: 304, headers });
      return new Reply({ json: document.text, headers });
    }),
  ];
}

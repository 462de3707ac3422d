// The two operations on what is known of a server.

import type { Ctx } from '../../identity/identity.ts';
import { Reply, type Route, route } from '../../kernel/route.ts';
import type { Analysis } from './ai-analysis.service.ts';
import * as contract from './server-info.contract.ts';
import { createServerInfo } from './server-info.service.ts';

export interface ServerInfoServices {
  analysis: Pick<Analysis, 'getServerAiAnalysis'>;
}

export function serverInfoRoutes({ analysis }: ServerInfoServices): Route<Ctx>[] {
  const serverInfo = createServerInfo();
  return [
    route(
      contract.getServerInfo,
      async (ctx, { params }) => new Reply({ json: await serverInfo(ctx, params.connection_id) }),
    ),
    route(contract.getServerAiAnalysis, (ctx, { params }) =>
      analysis.getServerAiAnalysis(ctx, params.connection_id),
    ),
  ];
}

// What probes are set to; access to a connection that is named has been checked before.

import type { Ctx } from '../../identity/identity.ts';
import { type Route, route } from '../../kernel/route.ts';
import * as configs from './probe-configs.contract.ts';
import {
  getProbeConfig,
  getProbeSettings,
  listProbeConfigs,
  listProbes,
  resetProbeConfig,
  updateProbeConfig,
} from './probe-configs.service.ts';
import * as overrides from './probe-overrides.contract.ts';
import { deleteProbeOverride, listProbeOverrides, setProbeOverride } from './probe-overrides.service.ts';

const OK = { status: 'ok' };

export function probeConfigsRoutes(): Route<Ctx>[] {
  return [
    route(configs.listProbeConfigs, (ctx, { query }) => listProbeConfigs(ctx, query.connection_id)),
    route(configs.getProbeConfig, (ctx, { params }) => getProbeConfig(ctx, params.id)),
    route(configs.updateProbeConfig, (ctx, { params, body }) =>
      updateProbeConfig(ctx, { id: params.id, change: body }),
    ),
    route(configs.resetProbeConfig, (ctx, { params }) => resetProbeConfig(ctx, params.id)),
    route(configs.listProbes, (ctx) => listProbes(ctx)),
    route(configs.getProbeSettings, (ctx, { params }) => getProbeSettings(ctx, params.id)),
    route(overrides.listProbeOverrides, (ctx, { params }) =>
      listProbeOverrides(ctx, { scope: params.scope, scope_id: params.scopeId }),
    ),
    route(overrides.setProbeOverride, async (ctx, { params, body }) => {
      const { scope, scopeId, probeName } = params;
      await setProbeOverride(ctx, { scope, scope_id: scopeId, probe_name: probeName }, body);
      return OK;
    }),
    route(overrides.deleteProbeOverride, async (ctx, { params }) => {
      const { scope, scopeId, probeName } = params;
      await deleteProbeOverride(ctx, { scope, scope_id: scopeId, probe_name: probeName });
      return OK;
    }),
  ];
}

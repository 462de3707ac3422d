// What the wing history serves: what was measured, as values over time and as the load and statements of a server.
import type { PublicCtx } from '../identity/identity.ts';
import type { Route } from '../kernel/route.ts';
import { metricsRoutes } from './metrics/metrics.routes.ts';
import { performanceRoutes } from './performance/performance.routes.ts';

export function historyRoutes(): Route<PublicCtx>[] {
  return [...metricsRoutes(), ...performanceRoutes()];
}

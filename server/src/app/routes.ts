// Every operation with the service behind it: what the API serves. A missing or a double one is a mistake of ours,
// and stops the start.
import { type AlertingServices, alertingConstraints, alertingRoutes } from '../alerting/routes.ts';
import { operations } from '../api/operations.gen.ts';
import { apiDocument } from '../api/utilities/document.ts';
import type { OwnFigures } from '../api/utilities/own-figures.service.ts';
import { utilitiesRoutes } from '../api/utilities/utilities.routes.ts';
import { type AssistantServices, assistantRoutes } from '../assistant/routes.ts';
import { type EstateServices, estateConstraints, estateRoutes } from '../estate/routes.ts';
import { historyRoutes } from '../history/routes.ts';
import type { PublicCtx } from '../identity/access/principal.ts';
import { type IdentityServices, identityConstraints, identityRoutes } from '../identity/routes.ts';
import { type InsightServices, insightRoutes } from '../insight/routes.ts';
import type { ConstraintFaults } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';

/** What the wings share within one process. */
export type Services = IdentityServices &
  EstateServices &
  AlertingServices &
  InsightServices &
  AssistantServices & {
    figures: OwnFigures;
    /** Below which path of a host the API is reached. */
    base_path?: string;
  };

/** What each wing says when a rule of its tables is broken: what the API answers with. */
export const allConstraints: ConstraintFaults = {
  ...identityConstraints,
  ...estateConstraints,
  ...alertingConstraints,
};

function demandComplete(routes: readonly Route<PublicCtx>[]): void {
  const served = routes.map(({ operation }) => operation.id);
  const missing = operations.filter(({ id }) => !served.includes(id)).map(({ id }) => id);
  const double = served.filter((id, index) => served.indexOf(id) !== index);
  if (missing.length > 0) throw new Error(`operations without a route: ${missing.join(', ')}`);
  if (double.length > 0) throw new Error(`operations with two routes: ${double.join(', ')}`);
}

/** One route for each operation. */
export function allRoutes(services: Services): Route<PublicCtx>[] {
  const routes = [
    ...identityRoutes(services),
    ...historyRoutes(),
    ...estateRoutes(services),
    ...alertingRoutes(services),
    ...insightRoutes(services),
    ...assistantRoutes(services),
    ...utilitiesRoutes({ ...services, document: () => apiDocument(operations, services.base_path) }),
  ];
  demandComplete(routes);
  return routes;
}

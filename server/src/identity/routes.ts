// What the wing identity serves: accounts, rights and the audit log, with what the API answers where a rule of their tables is broken.
import type { ConstraintFaults } from '../kernel/errors.ts';
import type { Route } from '../kernel/route.ts';
import type { PublicCtx } from './access/principal.ts';
import { auditRoutes } from './audit/audit.routes.ts';
import { authRoutes } from './auth/auth.routes.ts';
import type { Auth } from './auth/auth.service.ts';
import { userConstraints } from './auth/users.constraints.ts';
import { oidcRoutes } from './oidc/oidc.routes.ts';
import { proxyRoutes } from './oidc/proxy.routes.ts';
import type { SignOn } from './oidc/sign-on.ts';
import { rbacRoutes } from './rbac/rbac.routes.ts';
import { groupConstraints } from './rbac/rbac-groups.constraints.ts';

export interface IdentityServices {
  auth: Auth;
  sign_on: SignOn;
}

export const identityConstraints: ConstraintFaults = { ...groupConstraints, ...userConstraints };

export function identityRoutes({ auth, sign_on }: IdentityServices): Route<PublicCtx>[] {
  const services = { auth, sign_on };
  return [
    ...auditRoutes(),
    ...authRoutes(auth),
    ...oidcRoutes(services),
    ...proxyRoutes(services),
    ...rbacRoutes(auth),
  ];
}

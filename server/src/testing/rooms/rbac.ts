import { rbacRoutes } from '../../identity/rbac/rbac.routes.ts';
import { authOf } from './auth.ts';
import type { TestRoom } from './parts.ts';

export const rbacRoom: TestRoom = async (parts) => rbacRoutes(await authOf(parts));

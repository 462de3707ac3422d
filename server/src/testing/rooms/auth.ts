import { authRoutes } from '../../identity/auth/auth.routes.ts';
import { createAuth } from '../../identity/auth/auth.service.ts';
import { usualLimits } from '../access/auth.ts';
import { sharedPart, type TestRoom, vaultOf } from './parts.ts';

export const authOf = sharedPart(async (parts) => {
  const vault = await vaultOf(parts);
  return createAuth({ limits: usualLimits, ai_enabled: () => false, max_iterations: 50, vault });
});

export const authRoom: TestRoom = async (parts) => authRoutes(await authOf(parts));

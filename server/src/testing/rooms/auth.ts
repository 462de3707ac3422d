import { authRoutes } from '../../identity/auth/auth.routes.ts';
import { createAuth } from '../../identity/auth/auth.service.ts';
import { usualLimits } from '../access/auth.ts';
import { sharedPart, type TestRoom } from './parts.ts';

export const authOf = sharedPart(() =>
  createAuth({ limits: usualLimits, ai_enabled: () => false, max_iterations: 50 }),
);

export const authRoom: TestRoom = (parts) => authRoutes(authOf(parts));

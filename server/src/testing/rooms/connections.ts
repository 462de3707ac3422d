import { connectionsRoutes } from '../../estate/connections/connections.routes.ts';
import type { ConnectionsDeps } from '../../estate/connections/connections.service.ts';
import { sharedPart, type TestRoom, vaultOf } from './parts.ts';

export const connectionsOf = sharedPart(
  async (parts): Promise<ConnectionsDeps> => ({ vault: await vaultOf(parts), allow_private_networks: true }),
);

export const connectionsRoom: TestRoom = async (parts) => connectionsRoutes(await connectionsOf(parts));

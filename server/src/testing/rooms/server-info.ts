// Without a language model: an analysis says that none is configured.
import { createAiParts } from '../../assistant/ai-parts.ts';
import { serverInfoRoutes } from '../../estate/server-info/server-info.routes.ts';
import type { TestRoom } from './parts.ts';

export const serverInfoRoom: TestRoom = (parts) => {
  const { db, clock, log } = parts;
  const ai = createAiParts({ config: { providers: {} }, db, clock, log });
  for (const part of ai.parts) parts.closeWith(() => part.stop());
  return serverInfoRoutes(ai.services);
};

// All rooms, put together as the program does: for tests of what goes through all of them, and of chat and tools, which use most.

import { createOwnFigures } from '../../api/utilities/own-figures.service.ts';
import { allRoutes, type Services } from '../../app/routes.ts';
import { type AiOptions, createAiParts } from '../../assistant/ai-parts.ts';
import { createChatRuns } from '../../assistant/chat/chat-runs.service.ts';
import { createToolbox } from '../../assistant/tools/toolbox.ts';
import { createSignOn, type SignOnOptions } from '../../identity/oidc/sign-on.ts';
import { Figures } from '../../kernel/figures.ts';
import { startTestApi, type TestApi, type TestApiOptions } from '../api.ts';
import { authOf } from './auth.ts';
import { channelsOf } from './channels.ts';
import { connectionsOf } from './connections.ts';
import { logIntakeDeps } from './log-intake.ts';
import { type TestParts, type TestRoom, vaultOf } from './parts.ts';
import { sqlOf } from './sql.ts';

type LlmOptions = AiOptions['config'];

type SignOnGiven = Pick<SignOnOptions, 'settings' | 'base_url'>;
const NO_PROVIDERS: SignOnGiven = {
  settings: { providers: [], local_sign_in: 'always' },
  base_url: undefined,
};

/** The services of all rooms; no language model is configured when `llm` is absent. */
export async function wholeServices(
  parts: TestParts,
  { llm = { providers: {} }, sign_on = NO_PROVIDERS }: Pick<WholeApiOptions, 'llm' | 'sign_on'> = {},
): Promise<Services> {
  const { db, clock, log } = parts;
  const ai = createAiParts({ config: llm, db, clock, log });
  for (const part of ai.parts) parts.closeWith(() => part.stop());
  const sql = await sqlOf(parts);
  const toolbox = createToolbox({
    ...{ base_url: undefined, sql, clock, llm, proxy: ai.services.proxy },
    calls_per_minute: 10_000,
  });
  const channels = await channelsOf(parts);
  const chat = createChatRuns({ calls: ai.calls, toolbox, sql, db, clock, log });
  parts.closeWith(() => chat.stop());
  const figures = createOwnFigures({ db, clock, figures: new Figures(), token: undefined });
  return {
    version: '0.0.0-test',
    figures,
    auth: await authOf(parts),
    sign_on: createSignOn({
      ...sign_on,
      ...{ vault: await vaultOf(parts), clock, log },
    }),
    ...ai.services,
    connections: await connectionsOf(parts),
    log_intake: logIntakeDeps(),
    sql,
    channels,
    toolbox,
    chat,
  };
}

export const wholeRoom: TestRoom = async (parts) => allRoutes(await wholeServices(parts));

export interface WholeApi extends TestApi {
  services: Services;
}

export interface WholeApiOptions extends Omit<TestApiOptions, 'rooms'> {
  /** Parts to use in place of the usual ones, such as a language model that speaks to a mock. */
  services?: Partial<Services>;
  /** Language models that are configured; none when absent. */
  llm?: LlmOptions | undefined;
  /** Providers to sign in with; none when absent. */
  sign_on?: SignOnGiven | undefined;
}

/** Everything that the program serves. A change anywhere concerns its tests, so a test that needs few rooms names these. */
export async function startWholeApi({
  services: own,
  llm,
  sign_on,
  ...options
}: WholeApiOptions = {}): Promise<WholeApi> {
  const made: Services[] = [];
  const whole = async (parts: TestParts) => {
    const services = { ...(await wholeServices(parts, { llm, sign_on })), ...own };
    made.push(services);
    return allRoutes(services);
  };
  const test = await startTestApi({
    providerTokens: () => made[0]?.sign_on.tokens,
    ...options,
    rooms: [whole],
  });
  const [services] = made;
  if (!services) throw new Error('The API has asked for its rooms.');
  return { ...test, services };
}

// What the six wings need of this process to answer requests: models, tools, the query console, channels and the limits of sign-in.

import { senderFrom } from '../alerting/channels/from-settings.ts';
import { basePathOf } from '../api/base-path.ts';
import { createAiParts } from '../assistant/ai-parts.ts';
import { createChatRuns } from '../assistant/chat/chat-runs.service.ts';
import { createSql } from '../assistant/sql/sql.service.ts';
import { createToolbox } from '../assistant/tools/toolbox.ts';
import { LineKeeper } from '../collector/logs/line-keeper.ts';
import { Scrubber } from '../collector/scrub.ts';
import { queryRole } from '../datastore/query-role.ts';
import { tlsFoldersOf } from '../estate/connections/tls-folders.ts';
import { createAuth } from '../identity/auth/auth.service.ts';
import { limitsOf } from '../identity/auth/login-limits.ts';
import { createSignOn } from '../identity/oidc/sign-on.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import { MINUTE_MS } from '../kernel/units.ts';
import { VERSION } from '../kernel/version.ts';
import type { AppContext } from './compose.ts';
import type { Services } from './routes.ts';

/** From one address in a minute. */
const WRONG_SIGNATURES = 30;

/** Asks the datastore nothing. Parts that end with the API are added to the lifecycle. */
export function createServices(context: AppContext): Services {
  const { config, log, clock, db, vault, lifecycle, base_url, url, shown } = context;
  const ai = createAiParts({ config: config.llm, db, clock, log });
  for (const part of ai.parts) lifecycle.add(part);
  const sign_on = lifecycle.add(createSignOn({ settings: config.auth, base_url, vault, clock, log }));
  const auth = createAuth({
    ai_enabled: () => ai.is_configured,
    max_iterations: config.llm.max_iterations,
    max_token_ms: config.auth.max_token_ms,
    session_idle_ms: config.auth.session_idle_ms,
    limits: limitsOf(config.auth),
    ways: sign_on,
    vault,
    public_url: config.api.public_url,
  });
  const { allow_private_networks, tls_file_folders } = config.connections;
  const tls_folders = tlsFoldersOf(tls_file_folders, config.data_dir);
  const connections = {
    vault,
    allow_private_networks,
    tls_folders,
    password_sources: context.password_sources,
  };
  const scrubber = new Scrubber(config.collector.masked_parameters);
  const { read } = new LineKeeper(config.logs);
  const log_intake = { read, scrub: (text: string) => scrubber.statement(text) };
  const datastore = queryRole({ url, vault });
  const sql = lifecycle.add(createSql({ connections, clock, datastore, ...config.connections }));
  const tests = createRateLimit({ limit: config.channels.tests_per_minute, window_ms: MINUTE_MS, clock });
  const wrong_signatures = createRateLimit({ limit: WRONG_SIGNATURES, window_ms: MINUTE_MS, clock });
  const sender = lifecycle.add(senderFrom(config.channels));
  const channels = { ...config.channels, vault, tests, wrong_signatures, sender, base_url };
  const asked = { sql, clock, llm: config.llm, proxy: ai.services.proxy };
  const toolbox = createToolbox({ base_url, ...asked });
  const chat = lifecycle.add(createChatRuns({ calls: ai.calls, toolbox, sql, db, clock, log }));
  const base_path = basePathOf(config.api.public_url);
  const own = { version: VERSION, figures: shown.own, base_path };
  return { ...own, auth, sign_on, ...ai.services, connections, log_intake, sql, channels, toolbox, chat };
}

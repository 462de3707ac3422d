// The part of the composition root that answers requests: everything that only the role `api` needs. It is loaded when the
// collector runs already, so that the first samples do not wait for two hundred operations to be compiled; or while an empty
// datastore gets its tables, when nobody could be asked yet.

import { senderFrom } from '../alerting/channels/from-settings.ts';
import { listenProblem } from '../api/listen-problem.ts';
import { createApi } from '../api/server.ts';
import { createAiParts } from '../assistant/ai-parts.ts';
import { createChatRuns } from '../assistant/chat/chat-runs.service.ts';
import { createSql } from '../assistant/sql/sql.service.ts';
import { createToolbox } from '../assistant/tools/toolbox.ts';
import { queryRole } from '../datastore/query-role.ts';
import { tlsFoldersOf } from '../estate/connections/tls-folders.ts';
import { createAuth } from '../identity/auth/auth.service.ts';
import { limitsOf } from '../identity/auth/login-limits.ts';
import type { Vault } from '../identity/secrets/vault.service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { Database } from '../kernel/db.ts';
import type { Parts } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import type { Secret } from '../kernel/secret.ts';
import { VERSION } from '../kernel/version.ts';
import { allConstraints, allRoutes } from './routes.ts';

/** From one address in a minute. */
const WRONG_SIGNATURES = 30;

export interface ApiGround {
  config: Config;
  log: Log;
  clock: Clock;
  db: Database;
  vault: Vault;
  lifecycle: Parts;
  /** Of the datastore. */
  url: Secret;
  /** The folder of the built pages. */
  webRoot: string | undefined;
  /** Where people reach the API, when the settings say so. */
  publicUrl: string | undefined;
}

function apiConfig({ config, webRoot }: ApiGround) {
  const { api } = config;
  const pagePolicy = config.web.content_security_policy;
  return {
    host: config.host,
    port: config.port,
    trustedProxies: api.trusted_proxies,
    allowedOrigins: api.allowed_origins,
    webRoot,
    isForeignWeb: config.web_root !== undefined,
    logRequests: config.log_requests,
    ...(pagePolicy !== undefined && { pagePolicy }),
    requestTimeoutMs: api.request_timeout_seconds * 1000,
    bodyLimitBytes: api.body_limit_bytes,
    streams: api.streams,
    streamsPerUser: api.streams_per_user,
    sharedAccess: config.rbac.shared_access,
    ...(api.requests_per_minute !== undefined && { generalRateLimit: api.requests_per_minute }),
  };
}

export interface PreparedApi {
  /** Starts to accept requests; answers where. */
  listen(): Promise<string>;
}

/** Asks the datastore nothing, and the vault neither: both may not be ready before `listen`. */
export async function prepareApi(ground: ApiGround): Promise<PreparedApi> {
  const { config, log, clock, db, vault, lifecycle, publicUrl } = ground;
  const ai = createAiParts({ config: config.llm, db, clock, log });
  for (const part of ai.parts) lifecycle.add(part);
  const auth = createAuth({
    ai_enabled: () => ai.is_configured,
    max_iterations: config.llm.max_iterations,
    max_token_ms: config.auth.max_token_ms,
    limits: limitsOf(config.auth),
  });
  const { allow_private_networks, tls_file_folders } = config.connections;
  const tls_folders = tlsFoldersOf(tls_file_folders, config.data_dir);
  const connections = { vault, allow_private_networks, tls_folders };
  const stored = queryRole({ url: ground.url, vault });
  const sql = lifecycle.add(createSql({ connections, clock, datastore: stored, ...config.connections }));
  const tests = createRateLimit({ limit: config.channels.tests_per_minute, window_ms: 60_000, clock });
  const sender = lifecycle.add(senderFrom(config.channels));
  const wrong_signatures = createRateLimit({ limit: WRONG_SIGNATURES, window_ms: 60_000, clock });
  const channels = {
    ...config.channels,
    ...{ vault, tests, wrong_signatures, sender, base_url: publicUrl },
  };
  const asked = { sql, clock, llm: config.llm, proxy: ai.services.proxy };
  const toolbox = createToolbox({ base_url: publicUrl, ...asked });
  const chat = lifecycle.add(createChatRuns({ calls: ai.calls, toolbox, sql, db, clock, log }));
  const own = { connections, sql, channels, toolbox, chat };
  const routes = allRoutes({ version: VERSION, auth, ...ai.services, ...own });
  const api = lifecycle.add(
    await createApi({ db, routes, constraints: allConstraints, log, clock, config: apiConfig(ground) }),
  );
  return {
    async listen() {
      const { url } = await api.listen().catch((cause: unknown) => {
        throw listenProblem(config, cause);
      });
      return publicUrl ?? url;
    },
  };
}

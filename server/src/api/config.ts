// What the API needs to know from the settings. Guards: a folder of pages that has none is said at once.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequiredOf } from '../identity/access/access.service.ts';
import type { Config } from '../kernel/config.ts';
import { UsageError } from '../kernel/errors.ts';
import type { ProxySignInSettings } from '../kernel/proxy-sign-in-settings.ts';
import { basePathOf } from './base-path.ts';

export interface ApiConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Addresses or networks whose X-Forwarded-For, -Proto and -Host count. */
  trustedProxies: readonly string[];
  /** Origins of other web pages that may call with the caller's cookie. */
  allowedOrigins: readonly string[];
  /** Directory of the built web interface. */
  webRoot: string | undefined;
  /** It is another client's, whose addresses are not known here. */
  isForeignWeb?: boolean;
  /** The Content-Security-Policy of its pages, where it is not our own. */
  pagePolicy?: string;
  /** Below which path of a host browsers reach it, such as /matriarch. */
  basePath?: string;
  /** A log line for each request; those that fail on our side have one in any case. */
  logRequests: boolean;
  requestTimeoutMs: number;
  bodyLimitBytes: number;
  /** Streams of events open at once, in all and of one user; 500 and 20 when absent. */
  streams?: number;
  streamsPerUser?: number;
  /** Requests a minute for each caller; unlimited when absent. */
  generalRateLimit?: number;
  sharedAccess: 'read' | 'read_write';
  /** The header in which a reverse proxy names users, and the addresses from which it counts. */
  proxySignIn?: Pick<ProxySignInSettings, 'user_header' | 'addresses'> | undefined;
  /** Of whom a second factor is asked; not asked when absent. */
  requireSecondFactor?: RequiredOf;
  /** Sessions end when they were not used for so long; they do not when absent. */
  sessionIdleMs?: number | undefined;
}

const BUILT_PAGES = fileURLToPath(new URL('../../../web/dist', import.meta.url));

function webRootOf({ web_root }: Config): string {
  if (web_root === undefined) return BUILT_PAGES;
  if (existsSync(path.join(web_root, 'index.html'))) return web_root;
  throw new UsageError(`web_root: ${web_root} has no index.html.`);
}

export function apiConfigOf(config: Config): ApiConfig {
  const { api } = config;
  const pagePolicy = config.web.content_security_policy;
  return {
    host: config.host,
    port: config.port,
    trustedProxies: api.trusted_proxies,
    allowedOrigins: api.allowed_origins,
    webRoot: webRootOf(config),
    isForeignWeb: config.web_root !== undefined,
    basePath: basePathOf(api.public_url),
    logRequests: config.log_requests,
    ...(pagePolicy !== undefined && { pagePolicy }),
    requestTimeoutMs: api.request_timeout_seconds * 1000,
    bodyLimitBytes: api.body_limit_bytes,
    streams: api.streams,
    streamsPerUser: api.streams_per_user,
    sharedAccess: config.rbac.shared_access,
    requireSecondFactor: config.auth.require_second_factor,
    sessionIdleMs: config.auth.session_idle_ms,
    proxySignIn: config.auth.proxy,
    ...(api.requests_per_minute !== undefined && { generalRateLimit: api.requests_per_minute }),
  };
}

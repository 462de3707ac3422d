// What the API needs to know from the settings.
export interface ApiConfig {
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Addresses or networks whose X-Forwarded-For and -Proto count. */
  trustedProxies: readonly string[];
  /** Origins of other web pages that may call with the caller's cookie. */
  allowedOrigins: readonly string[];
  /** Directory of the built web interface. */
  webRoot: string | undefined;
  requestTimeoutMs: number;
  bodyLimitBytes: number;
  /** Requests a minute for each caller; unlimited when absent. */
  generalRateLimit?: number;
  sharedAccess: 'read' | 'read_write';
}

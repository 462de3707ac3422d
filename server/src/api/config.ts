// What the API needs to know from the settings.
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
}

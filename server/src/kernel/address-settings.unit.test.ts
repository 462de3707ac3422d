import { describe, expect, it } from 'vitest';
import { settings } from '../cli/settings.ts';
import { loadConfig } from './config.ts';

const load = (...argv: string[]) => loadConfig({ settings, argv, env: {} });

describe('addresses of trusted proxies', () => {
  it('are addresses and networks', () => {
    const given = load('--api-trusted-proxies', '127.0.0.1, 10.0.0.0/8, fd00::/8, ::1');
    expect(given.api.trusted_proxies).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1']);
  });

  it.each(['proxy.example', '10.0.0.0/33', '10.0.0', '10.0.0.1:80'])('are not %s', (entry) => {
    expect(() => load('--api-trusted-proxies', entry)).toThrow(
      `api.trusted_proxies: found "${entry}", allowed is an address or a network such as 10.0.0.0/24.`,
    );
  });
});

describe('other origins', () => {
  it('are written as browsers write them', () => {
    const given = load('--api-allowed-origins', 'https://tools.example.com, http://127.0.0.1:3000');
    expect(given.api.allowed_origins).toEqual(['https://tools.example.com', 'http://127.0.0.1:3000']);
  });

  it.each(['tools.example.com', 'https://tools.example.com/', 'https://Tools.example.com', '*'])(
    'are not %s',
    (entry) => {
      expect(() => load('--api-allowed-origins', entry)).toThrow(/allowed is an origin such as https:/);
    },
  );
});

describe('the URLs of the heartbeat', () => {
  it.each(['URL', 'FAIL_URL'])('%s is an address of HTTP, and is in no message', (name) => {
    const given = (url: string) =>
      loadConfig({ settings, argv: [], env: { [`MATRIARCH_HEARTBEAT_${name}`]: url } });
    expect(() => given('https://hc.example.com/ping/canary')).not.toThrow();
    for (const wrong of ['hc.example.com/canary', 'ftp://hc.example.com/canary'])
      expect(() => given(wrong)).toThrow(
        `heartbeat.${name.toLowerCase()} must be an http:// or https:// address.`,
      );
  });
});

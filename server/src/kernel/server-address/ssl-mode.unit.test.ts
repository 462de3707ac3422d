import { describe, expect, it } from 'vitest';
import { SSL_MODES, type SslMode, type TlsPlan, tlsPlan } from './ssl-mode.ts';

type Row = [attempts: string, withoutRoot: TlsPlan['verify'], withRoot: TlsPlan['verify']];

const TABLE: Record<SslMode, Row> = {
  disable: ['never', 'nothing', 'authority'],
  allow: ['never, if_offered', 'nothing', 'authority'],
  prefer: ['if_offered, never', 'nothing', 'authority'],
  require: ['required', 'nothing', 'authority'],
  'verify-ca': ['required', 'authority_and_host', 'authority'],
  'verify-full': ['required', 'authority_and_host', 'authority_and_host'],
};

describe('S18: sslmode', () => {
  it.each(SSL_MODES)('%s means what libpq means', (mode) => {
    const [attempts, withoutRoot, withRoot] = TABLE[mode];
    const bare = tlsPlan(mode, false);
    expect(bare.attempts.map(({ tls }) => tls).join(', ')).toBe(attempts);
    expect(bare.verify).toBe(withoutRoot);
    expect(tlsPlan(mode, true).verify).toBe(withRoot);
    expect(tlsPlan(mode, true).authorities).toBe('file');
  });

  it("the system's authorities are trusted only together with the host name", () => {
    for (const mode of SSL_MODES) {
      const plan = tlsPlan(mode, false);
      if (plan.authorities === 'system') expect(plan.verify).toBe('authority_and_host');
      else expect(plan.verify).toBe('nothing');
    }
  });
});

// New passwords that are stored as md5 hashes.
import { byReload } from './remedies.ts';
import { defineCheck, foundOnServer, NOTHING } from './types.ts';

/** From then on PostgreSQL itself warns of them. */
const DEPRECATED = 180_000;

export const check = defineCheck({
  name: 'password_encryption_md5',
  category: 'security',
  title: 'md5 password hashes',
  meaning: 'An attacker who sees such a hash can log in with it or crack it quickly.',
  advice: 'Store new passwords as SCRAM, then set the old ones again.',
  caution: 'Very old drivers do not support SCRAM. Lines of pg_hba.conf with md5 accept both.',
  source: 'auth-password.html',
  proof: 'stated',
  reads: { pg_settings: ['name', 'setting'] },
  judge: (facts) =>
    facts.setting('password_encryption') === 'md5'
      ? foundOnServer({
          object_name: 'password_encryption',
          severity: facts.versionNum >= DEPRECATED ? 'warning' : 'info',
          message: 'New passwords are stored as md5 hashes, which are no longer secure.',
          figure: null,
          evidence: { password_encryption: 'md5' },
          remedy: byReload('password_encryption', "'scram-sha-256'"),
        })
      : NOTHING,
});

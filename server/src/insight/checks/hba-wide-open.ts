// Lines of pg_hba.conf that let every role into every database from every address.
import {
  evidenceOfRule,
  HBA_COLUMNS,
  hbaRules,
  isForAll,
  isOfEverywhere,
  keyOfRule,
  lineWith,
  listensToOthers,
  nameOfRule,
} from './hba.ts';
import { defineCheck, NOTHING } from './types.ts';

/** They let nobody in, ask for a certificate, or are the matter of another check. */
const NOT_MEANT = new Set(['reject', 'cert', 'trust']);
const GUESSED = new Set(['password', 'md5', 'ident']);

export const check = defineCheck({
  name: 'hba_wide_open',
  category: 'security',
  title: 'pg_hba.conf open to all addresses',
  meaning: 'Any client that reaches the port can try passwords of all roles, including superusers.',
  advice: 'List the networks, databases and roles that need access, and require TLS.',
  caution: 'A firewall may already block other clients. Clients from unlisted networks are refused.',
  source: 'auth-pg-hba-conf.html',
  proof: 'stated',
  reads: { pg_hba_file_rules: HBA_COLUMNS, pg_settings: ['name', 'setting'] },
  judge: (facts) => {
    if (!listensToOthers(facts)) return NOTHING;
    return {
      found: hbaRules(facts)
        .filter(
          (rule) => isOfEverywhere(rule) && isForAll(rule) && !NOT_MEANT.has(rule.text('auth_method') ?? ''),
        )
        .map((rule) => ({
          database_name: '',
          object_name: nameOfRule(rule),
          object_key: keyOfRule(rule),
          severity: GUESSED.has(rule.text('auth_method') ?? '') ? 'warning' : 'info',
          message: `Line ${rule.number('line_number')} of pg_hba.conf allows all roles into all databases from every address (method ${rule.text('auth_method')}).`,
          figure: null,
          evidence: evidenceOfRule(rule),
          remedy: lineWith(rule, {
            // Without TLS such a line would match nobody.
            ...(facts.isOn('ssl') && { type: 'hostssl' }),
            method: 'scram-sha-256',
            address: 'samenet',
          }),
        })),
    };
  },
});

// Lines of pg_hba.conf that ask nobody for a password.
import {
  evidenceOfRule,
  HBA_COLUMNS,
  hbaRules,
  isLocal,
  keyOfRule,
  lineWith,
  listensToOthers,
  nameOfRule,
  whom,
} from './hba.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'hba_trust',
  category: 'security',
  title: 'Trust authentication in pg_hba.conf',
  meaning: 'Clients connect as any role they name, including superusers, without a password.',
  advice: 'Use scram-sha-256 for network connections, and peer for the local socket.',
  caution: 'Clients without a password are then refused. Set their passwords first.',
  source: 'auth-trust.html',
  proof: 'stated',
  reads: { pg_hba_file_rules: HBA_COLUMNS, pg_settings: ['name', 'setting'] },
  judge: (facts) => ({
    found: hbaRules(facts)
      .filter((rule) => rule.text('auth_method') === 'trust')
      .map((rule) => {
        const remote = listensToOthers(facts) ? 'critical' : 'warning';
        return {
          database_name: '',
          object_name: nameOfRule(rule),
          object_key: keyOfRule(rule),
          severity: isLocal(rule) ? 'info' : remote,
          message: `Line ${rule.number('line_number')} of pg_hba.conf allows connections without a password ${whom(rule)}.`,
          figure: null,
          evidence: { ...evidenceOfRule(rule), listens_to_others: listensToOthers(facts) },
          remedy: lineWith(rule, { method: rule.text('type') === 'local' ? 'peer' : 'scram-sha-256' }),
        } as const;
      }),
  }),
});

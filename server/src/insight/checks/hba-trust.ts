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
  title: 'pg_hba.conf trusts clients',
  meaning: 'Who connects this way is whoever he says he is, superusers included, without any password.',
  advice: 'Ask for passwords by scram-sha-256, on the socket for the name of the system user by peer.',
  caution: 'Clients that have no password there are then refused: give them one first.',
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
          message: `Line ${rule.number('line_number')} of pg_hba.conf lets everybody in without a password ${whom(rule)}.`,
          figure: null,
          evidence: { ...evidenceOfRule(rule), listens_to_others: listensToOthers(facts) },
          remedy: lineWith(rule, { method: rule.text('type') === 'local' ? 'peer' : 'scram-sha-256' }),
        } as const;
      }),
  }),
});

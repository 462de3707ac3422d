// Lines of pg_hba.conf whose method tells the password to others, or believes the client.
import type { Item } from './facts.ts';
import { evidenceOfRule, HBA_COLUMNS, hbaRules, isLocal, keyOfRule, lineWith, nameOfRule } from './hba.ts';
import { defineCheck, type Problem } from './types.ts';

const WHY: Readonly<Record<string, string>> = {
  password: 'sends passwords in clear text',
  md5: 'uses md5, which is deprecated and insecure',
  ident: 'trusts the user name reported by the client host',
};

/** In the clear over a network is worse than what can be broken with effort. */
function severityOf(rule: Item): Problem['severity'] {
  const isProtected = isLocal(rule) || rule.text('type') === 'hostssl' || rule.text('type') === 'hostgssenc';
  return rule.text('auth_method') === 'md5' || isProtected ? 'info' : 'warning';
}

export const check = defineCheck({
  name: 'hba_weak_method',
  category: 'security',
  title: 'Weak authentication method in pg_hba.conf',
  meaning: 'Attackers can intercept passwords or impersonate users.',
  advice: 'Use scram-sha-256.',
  caution: 'Passwords stored as md5 must be set again first. Very old drivers do not support SCRAM.',
  source: 'auth-password.html',
  proof: 'stated',
  reads: { pg_hba_file_rules: HBA_COLUMNS },
  judge: (facts) => ({
    found: hbaRules(facts)
      .filter((rule) => {
        const method = rule.text('auth_method') ?? '';
        return Object.hasOwn(WHY, method) && !(method === 'ident' && isLocal(rule));
      })
      .map((rule) => ({
        database_name: '',
        object_name: nameOfRule(rule),
        object_key: keyOfRule(rule),
        severity: severityOf(rule),
        message: `Line ${rule.number('line_number')} of pg_hba.conf ${WHY[rule.text('auth_method') ?? '']}.`,
        figure: null,
        evidence: evidenceOfRule(rule),
        remedy: lineWith(rule, { method: 'scram-sha-256' }),
      })),
  }),
});

// Lines of pg_hba.conf whose method tells the password to others, or believes the client.
import type { Item } from './facts.ts';
import { evidenceOfRule, HBA_COLUMNS, hbaRules, isLocal, keyOfRule, lineWith, nameOfRule } from './hba.ts';
import { defineCheck, type Problem } from './types.ts';

const WHY: Readonly<Record<string, string>> = {
  password: 'has clients send their password as it is',
  md5: 'takes md5, which is not safe any more and will be removed',
  ident: "believes what the client's machine says of its user",
};

/** In the clear over a network is worse than what can be broken with effort. */
function severityOf(rule: Item): Problem['severity'] {
  const isProtected = isLocal(rule) || rule.text('type') === 'hostssl' || rule.text('type') === 'hostgssenc';
  return rule.text('auth_method') === 'md5' || isProtected ? 'info' : 'warning';
}

export const check = defineCheck({
  name: 'hba_weak_method',
  category: 'security',
  title: 'pg_hba.conf accepts a weak method',
  meaning: 'Others can learn passwords on their way, or pass for somebody else.',
  advice: 'Use scram-sha-256.',
  caution: 'Passwords that are stored as md5 have to be set again first; very old drivers cannot do SCRAM.',
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

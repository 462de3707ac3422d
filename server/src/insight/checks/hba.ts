// Lines of pg_hba.conf as several checks ask for them. Pure.
import type { Facts, Item } from './facts.ts';

export const HBA_COLUMNS = [
  'rule_number',
  'line_number',
  'type',
  'database',
  'user_name',
  'address',
  'netmask',
  'auth_method',
  'error',
] as const;

/** Rules that are understood. */
export const hbaRules = (facts: Facts): Item[] =>
  facts.rows('pg_hba_file_rules').filter((row) => row.text('error') === null);

/** Addresses of the machine itself. */
const LOCAL = /^(?:127\.|::1$|samehost$|localhost$)/;
export const isLocal = (rule: Item): boolean =>
  rule.text('type') === 'local' || LOCAL.test(rule.text('address') ?? '');

/** Whether the server is reached from other machines at all; true where that is not known. */
export function listensToOthers(facts: Facts): boolean {
  const addresses = facts.setting('listen_addresses');
  if (addresses === undefined) return true;
  return addresses
    .split(',')
    .map((one) => one.trim())
    .some((one) => one !== '' && !LOCAL.test(one));
}

/** Everybody's address. */
export const isOfEverywhere = (rule: Item): boolean =>
  ['all', '0.0.0.0', '::'].includes(rule.text('address') ?? '') &&
  ['0.0.0.0', '::', null].includes(rule.text('netmask'));

export const isForAll = (rule: Item): boolean =>
  rule.list('database').includes('all') && rule.list('user_name').includes('all');

const PLAIN = /^[\w.+-]+$/;
/** As the file wants it, on one line whatever the server says. */
const word = (text: string) => {
  const line = text.replace(/\p{Cc}/gu, ' ');
  return PLAIN.test(line) ? line : `"${line.replaceAll('"', '""')}"`;
};
const words = (list: readonly string[]) => list.map(word).join(',');

const bitsOf = (mask: string): number =>
  (mask.includes(':')
    ? mask.split(':').map((part) => Number.parseInt(part || '0', 16))
    : mask.split('.').map(Number)
  ).reduce((sum, part) => sum + part.toString(2).replaceAll('0', '').length, 0);

function addressOf(rule: Item): string {
  const [address, mask] = [rule.text('address') ?? '', rule.text('netmask')];
  return mask === null ? address : `${address}/${bitsOf(mask)}`;
}

interface Otherwise {
  method: string;
  type?: string;
  address?: string;
}

/** The line with another method, type or address. */
export function lineWith(rule: Item, { method, type, address: other }: Otherwise): string {
  const address = other ?? addressOf(rule).replace(/[^\w.:/-]/g, '');
  const parts = [
    type ?? rule.text('type') ?? 'host',
    words(rule.list('database')),
    words(rule.list('user_name')),
    ...(rule.text('address') === null ? [] : [address]),
    method,
  ];
  return `# In pg_hba.conf, in place of line ${rule.number('line_number') ?? 0}; then: select pg_reload_conf();
${parts.join(' ')}`;
}

/** The line says the same when it moves. */
export const keyOfRule = (rule: Item): string =>
  [
    rule.text('type'),
    rule.list('database').join(','),
    rule.list('user_name').join(','),
    addressOf(rule),
    rule.text('auth_method'),
  ].join(' ');

export const nameOfRule = (rule: Item): string => `line ${rule.number('line_number') ?? 0}`;

export const whom = (rule: Item): string => {
  const from = rule.text('type') === 'local' ? 'the socket' : addressOf(rule);
  return `from ${from} to ${rule.list('database').join(', ')} as ${rule.list('user_name').join(', ')}`;
};

export const evidenceOfRule = (rule: Item) => ({
  line_number: rule.number('line_number'),
  type: rule.text('type'),
  database: rule.list('database').join(','),
  user_name: rule.list('user_name').join(','),
  address: addressOf(rule),
  auth_method: rule.text('auth_method'),
});

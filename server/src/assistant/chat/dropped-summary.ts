// What was talked about in messages that are left out: by rules, without a model. Pure.
import { cutText } from '../../kernel/inert-text.ts';
import { callsOf, type Message, textOf } from './message-facts.ts';

const MOST = 10;
const LONGEST_QUESTION = 160;
const MOST_QUESTIONS = 20;

/** Topics by the words that people use of them. */
const TOPICS: readonly (readonly [topic: string, words: RegExp])[] = [
  ['locks', /\b(lock|locks|locked|blocked|blocking|deadlock)/i],
  ['vacuum', /\b(vacuum|autovacuum|dead (rows|tuples)|bloat|wraparound|freeze)/i],
  ['indexes', /\b(index|indexes|seq(uential)? scan)/i],
  ['replication', /\b(replica|replication|standby|lag|slot|failover|wal)/i],
  ['connections', /\b(connections?|pool|pooler|max_connections|idle in transaction)/i],
  ['memory', /\b(shared_buffers|work_mem|memory|oom)/i],
  ['disk', /\b(disk|tablespace|storage|temp(orary)? files?)/i],
  ['checkpoints', /\bcheckpoint/i],
  ['slow statements', /\b(slow|query|queries|statement|explain|plan)/i],
  ['settings', /\b(setting|parameter|postgresql\.conf|configuration)/i],
  ['security', /\b(role|grant|pg_hba|password|tls|ssl)/i],
  ['backups', /\b(backup|restore|archiv|pitr)/i],
];

const NAME = '(?:"[^"\\s]{1,63}"|[a-z_][a-z0-9_$]{0,62})';
const TABLE = new RegExp(`\\b(?:from|join|update|into|table)\\s+(?:only\\s+)?(${NAME}(?:\\.${NAME})?)`, 'gi');
const NO_TABLES = new Set([
  'the',
  'a',
  'an',
  'this',
  'that',
  'it',
  'select',
  'if',
  'my',
  'our',
  'is',
  'here',
  'there',
  'now',
  'only',
  'of',
]);

export interface DroppedSummary {
  topics: string[];
  tables: string[];
  tools: string[];
  description: string;
}

const firstOf = (names: Iterable<string>) => [...new Set(names)].slice(0, MOST);

export function summarise(dropped: readonly Message[]): DroppedSummary {
  const texts = dropped.map(textOf);
  const topics = TOPICS.filter(([, words]) => texts.some((text) => words.test(text))).map(([topic]) => topic);
  const named = texts.flatMap((text) => [...text.matchAll(TABLE)].map(([, name = '']) => name));
  const tables = firstOf(named.filter((name) => !NO_TABLES.has(name.toLowerCase())));
  const tools = firstOf(
    dropped
      .flatMap(callsOf)
      .map(({ name }) => name)
      .filter((name) => name !== ''),
  );
  const parts = [
    `${dropped.length} earlier ${dropped.length === 1 ? 'message' : 'messages'}`,
    topics.length > 0 ? ` about ${topics.slice(0, MOST).join(', ')}` : '',
    tables.length > 0 ? `; tables ${tables.join(', ')}` : '',
    tools.length > 0 ? `; tools used: ${tools.join(', ')}` : '',
  ];
  return { topics: topics.slice(0, MOST), tables, tools, description: `${parts.join('')}.` };
}

/** A message in place of what was left out, with what its person had asked. */
export function summaryText(dropped: readonly Message[], { description }: DroppedSummary): string {
  const asked = dropped
    .filter(({ role }) => role === 'user')
    .map((message) =>
      cutText(textOf(message).replaceAll(/\s+/g, ' ').trim(), LONGEST_QUESTION).toWellFormed(),
    )
    .filter((text) => text !== '')
    .slice(-MOST_QUESTIONS);
  const questions = asked.length > 0 ? ` Asked before: ${asked.map((text) => `"${text}"`).join('; ')}.` : '';
  return `Summary of what was left out: ${description}${questions}`;
}

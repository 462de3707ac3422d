// Statement: a statement that log_statement writes.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'statement_logged',
  group: 'statements',
  title: 'Statement',
  meaning: 'A statement that log_statement writes.',
  weight: 'normal',
  remedy: 'log_statement = all costs space and may write secrets; ddl is mostly enough.',
  texts: { '00000': ['statement: …', 'execute …: …', 'execute fetch from …', 'fastpath function call: …'] },
  severities: ['LOG'],
  examples: [{ since: 14, line: 'LOG:  statement: create table orders (id bigint)' }],
});

// Audit entry: pgaudit wrote who did what.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'audit',
  group: 'statements',
  title: 'Audit entry',
  meaning: 'pgaudit wrote who did what.',
  weight: 'normal',
  remedy: 'Nothing to do.',
  texts: { '00000': ['AUDIT: SESSION,…', 'AUDIT: OBJECT,…'] },
  severities: ['LOG'],
  examples: [
    {
      since: 14,
      line: 'LOG:  AUDIT: SESSION,1,1,DDL,CREATE TABLE,,,create table orders (id bigint),<not logged>',
    },
  ],
});

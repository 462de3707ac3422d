// Transaction ids run out: a database must be vacuumed soon, or the server will accept no writes any more.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'wraparound_warning',
  group: 'maintenance',
  title: 'Transaction ids run out',
  meaning: 'A database must be vacuumed soon, or the server will accept no writes any more.',
  weight: 'critical',
  remedy:
    'First end long transactions, finish prepared transactions and drop unused replication slots, in any database. Then run vacuum as a superuser in the named database and in all others. Single-user mode, which messages of older servers advise, is not needed.',
  texts: {
    '01000': [
      'database "…" must be vacuumed within … transactions',
      'database with OID … must be vacuumed within … transactions',
      'database "…" must be vacuumed before … more …',
      'database with OID … must be vacuumed before … more …',
      'oldest xmin is far in the past',
      'oldest multixact is far in the past',
      'cutoff for removing and freezing tuples is far in the past',
      'cutoff for freezing multixacts is far in the past',
      'bypassing nonessential maintenance of table "…" as a failsafe after … index scans',
    ],
    '54000': [
      'multixact "members" limit exceeded',
      'database is not accepting commands …',
      'database with OID … must be vacuumed before … more …',
    ],
  },
  examples: [
    { since: 14, line: 'WARNING:  database "shop" must be vacuumed within 10985967 transactions' },
    {
      since: 14,
      line: 'WARNING:  database with OID 5 must be vacuumed before 1000 more multixact members are used',
    },
  ],
});

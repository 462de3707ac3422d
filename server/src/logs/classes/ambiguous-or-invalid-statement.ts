// Invalid statement: a statement is SQL, but its meaning is not allowed: wrong types, ambiguous names, wrong grouping.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'ambiguous_or_invalid_statement',
  group: 'errors',
  title: 'Invalid statement',
  meaning:
    'A statement is SQL, but its meaning is not allowed: wrong types, ambiguous names, wrong grouping.',
  weight: 'info',
  remedy: 'Correct the statement.',
  texts: {
    '42830': ['there is no unique constraint matching given keys for referenced table "…"'],
    '42702': ['column reference "…" is ambiguous…'],
    '42803': [
      'column "…" must appear in the GROUP BY clause or be used in an aggregate function…',
      'aggregate functions are not allowed in …',
    ],
    '42804': ['column "…" is of type … but expression is of type …', 'argument of … must be type …'],
    '42725': ['function … is not unique…', 'operator is not unique: …'],
    '42P18': ['could not determine data type of parameter $…'],
    '42P10': [
      'there is no unique or exclusion constraint matching the ON CONFLICT specification',
      'for SELECT DISTINCT, ORDER BY expressions must appear in select list…',
    ],
    '42P16': ['multiple primary keys for table "…" are not allowed'],
    '42809': ['"…" is not a …'],
    '428C9': ['cannot insert a non-DEFAULT value into column "…"'],
    '42846': ['cannot cast type … to …'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['42'],
  examples: [{ since: 14, line: 'ERROR:  column reference "id" is ambiguous at character 8' }],
});

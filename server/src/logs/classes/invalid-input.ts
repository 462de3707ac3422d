// Invalid value: a value does not fit its type: wrong form, too long, out of range, division by zero, broken encoding.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'invalid_input',
  group: 'errors',
  title: 'Invalid value',
  meaning:
    'A value does not fit its type: wrong form, too long, out of range, division by zero, broken encoding.',
  weight: 'info',
  remedy: 'Check values in the application; broken encodings come from a wrong client_encoding.',
  texts: {
    '22P02': [
      'invalid input syntax for type …',
      // Up to 11.
      'invalid input syntax for …',
      'invalid input value for enum …',
      'malformed array literal: …',
      'malformed record literal: …',
    ],
    '22001': ['value too long for type …'],
    '22003': [
      'integer out of range',
      'bigint out of range',
      'smallint out of range',
      'value "…" is out of range for type …',
      'numeric field overflow',
    ],
    '22012': ['division by zero'],
    '22021': ['invalid byte sequence for encoding "…": …'],
    '22008': ['date/time field value out of range: …'],
    '22007': [
      'invalid input syntax for type date: …',
      'invalid input syntax for type timestamp: …',
      'invalid input syntax for type timestamp with time zone: …',
    ],
    '22023': ['invalid value for parameter "…": …'],
    '22P05': ['character with byte sequence … in encoding "…" has no equivalent in encoding "…"'],
    '2201B': ['invalid regular expression: …'],
    '21000': [
      'more than one row returned by a subquery used as an expression',
      'ON CONFLICT DO UPDATE command cannot affect row a second time',
    ],
    '22P04': ['missing data for column "…"', 'extra data after last expected column'],
  },
  severities: ['ERROR', 'FATAL'],
  sqlstates: ['22', '21', '20'],
  examples: [{ since: 14, line: 'ERROR:  invalid input syntax for type integer: "abc"' }],
});

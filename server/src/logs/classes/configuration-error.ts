// Error in the configuration: a configuration file has an error; what is wrong was not applied, and a restart may fail.
import { defineClass } from '../types.ts';

export const eventClass = defineClass({
  name: 'configuration_error',
  group: 'server',
  title: 'Error in the configuration',
  meaning: 'A configuration file has an error; what is wrong was not applied, and a restart may fail.',
  weight: 'warning',
  remedy:
    'Correct the file and check it: select * from pg_file_settings where error is not null, select * from pg_hba_file_rules where error is not null.',
  texts: {
    F0000: [
      'configuration file "…" contains errors…',
      'invalid line …',
      'could not load "…"',
      'authentication option …',
      'private key file "…" …',
      'could not load server certificate file "…": …',
      'could not load private key file "…": …',
      'invalid authentication method "…"',
    ],
    '42704': ['unrecognized configuration parameter "…" in file "…" line …'],
    '22023': ['invalid value for parameter "…": …'],
    '42601': ['syntax error in file "…" line …, near …'],
    '00000': ['… was not reloaded'],
  },
  severities: ['LOG', 'FATAL', 'WARNING'],
  sqlstates: ['F0'],
  examples: [
    {
      since: 14,
      line: 'LOG:  configuration file "/data/postgresql.auto.conf" contains errors; unaffected changes were applied',
    },
  ],
});

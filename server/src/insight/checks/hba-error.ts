// Lines of pg_hba.conf that the server does not understand.
import { HBA_COLUMNS } from './hba.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'hba_error',
  category: 'security',
  title: 'pg_hba.conf has an error',
  meaning: 'The server keeps the rules that it had, and does not start with this file.',
  advice: 'Mend the line, then reload.',
  caution: 'Rules that were changed meanwhile take effect with that reload as well.',
  source: 'view-pg-hba-file-rules.html',
  proof: 'stated',
  reads: { pg_hba_file_rules: HBA_COLUMNS },
  judge: (facts) => ({
    found: facts.rows('pg_hba_file_rules').flatMap((row) => {
      const error = row.text('error');
      // A rule that is there all the same only cannot match, such as hostssl while TLS is off.
      if (error === null || row.text('type') !== null) return [];
      const line = row.number('line_number') ?? 0;
      return [
        {
          database_name: '',
          object_name: `line ${line}`,
          severity: 'critical' as const,
          message: `The server does not understand line ${line} of pg_hba.conf: ${error}.`,
          figure: null,
          evidence: { line_number: line, error },
          remedy: `# Mend line ${line} of pg_hba.conf; then:\nselect pg_reload_conf();`,
        },
      ];
    }),
  }),
});

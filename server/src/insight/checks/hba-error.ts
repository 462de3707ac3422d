// Lines of pg_hba.conf that the server does not understand.
import { HBA_COLUMNS } from './hba.ts';
import { defineCheck } from './types.ts';

export const check = defineCheck({
  name: 'hba_error',
  category: 'security',
  title: 'Error in pg_hba.conf',
  meaning: 'The server keeps the old rules, and does not start with this file.',
  advice: 'Fix the line, then reload.',
  caution: 'Other rules changed meanwhile take effect with the same reload.',
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
          message: `Line ${line} of pg_hba.conf is invalid: ${error}.`,
          figure: null,
          evidence: { line_number: line, error },
          remedy: `# Fix line ${line} of pg_hba.conf; then:\nselect pg_reload_conf();`,
        },
      ];
    }),
  }),
});

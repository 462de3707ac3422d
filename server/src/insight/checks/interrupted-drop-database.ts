// Databases that were half dropped: nobody can connect to them, and their files are still there.
import { shownValue } from '../../kernel/shown-value.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

/** datconnlimit of a database whose drop was interrupted. */
const INTERRUPTED = -2;

export const check = defineCheck({
  name: 'interrupted_drop_database',
  category: 'storage',
  title: 'Database that was half dropped',
  meaning: 'Nobody can connect to it any more, its files may be gone in part, and vacuum cannot go there.',
  advice: 'Drop it once more.',
  caution: 'What is left of it cannot be used; a backup is the only way back.',
  source: 'sql-dropdatabase.html',
  proof: 'stated',
  where: 'primary',
  reads: { pg_database: ['datname', 'oid', 'datconnlimit', 'database_size_bytes'] },
  judge: (facts) => ({
    found: facts
      .rows('pg_database')
      .filter((item) => item.number('datconnlimit') === INTERRUPTED)
      .map((item) => {
        const name = item.text('datname') ?? '';
        const size = item.number('database_size_bytes');
        return {
          database_name: name,
          object_name: '',
          object_key: item.text('oid') ?? name,
          severity: 'warning',
          message: `A drop of the database ${name} was interrupted${size === null ? '' : `; it still takes ${shownValue(size, 'bytes')}`}.`,
          figure: size === null ? null : { value: size, unit: 'bytes' },
          evidence: { datconnlimit: INTERRUPTED, database_size_bytes: size },
          remedy: `drop database ${quoted(name)};`,
        };
      }),
  }),
});

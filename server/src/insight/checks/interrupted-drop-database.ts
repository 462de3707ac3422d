// Databases that were half dropped: nobody can connect to them, and their files are still there.
import { shownValue } from '../../kernel/shown-value.ts';
import { defineCheck } from './types.ts';
import { quoted } from './units.ts';

/** datconnlimit of a database whose drop was interrupted. */
const INTERRUPTED = -2;

export const check = defineCheck({
  name: 'interrupted_drop_database',
  category: 'storage',
  title: 'Interrupted DROP DATABASE',
  figureName: 'database size',
  meaning: 'The database refuses connections, may miss files, and cannot be vacuumed.',
  advice: 'Drop it again.',
  caution: 'The remains are unusable. Only a backup brings the database back.',
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
          message: `DROP DATABASE "${name}" was interrupted${size === null ? '' : `, and the database still takes ${shownValue(size, 'bytes')}`}.`,
          figure: size === null ? null : { value: size, unit: 'bytes' },
          evidence: { datconnlimit: INTERRUPTED, database_size_bytes: size },
          remedy: `drop database ${quoted(name)};`,
        };
      }),
  }),
});
